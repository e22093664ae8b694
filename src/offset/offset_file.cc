#include "offset/offset_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/whole_file.h"
#include "base/writing_advice.h"

namespace walduct::offset {
namespace {

absl::Status Mounted(const std::string& path) {
  return Error(
      absl::StatusCode::kFailedPrecondition, "offset_file_mounted",
      absl::StrCat("the offset file ", path,
                   " is a mount of its own: it cannot be replaced by a new one, which is "
                   "how it is kept whole over a crash"),
      absl::StrCat("mount the directory that holds it (docker run -v DIR:", DirectoryOf(path),
                   "; in Kubernetes a volumeMount without subPath) instead of the file"));
}

// Another file knows no position: whoever has one is told how to keep it.
std::string HintFor(const std::string& path, const std::string& advice) {
  struct stat status {};
  const bool there = stat(path.c_str(), &status) == 0 || errno == EACCES;
  if (!there) {
    return absl::StrCat(advice, advice.empty() ? "" : "; or, where no position is stored yet, ",
                        "set offset.storage.file.filename to a file in an existing directory that "
                        "this user can write to");
  }
  const bool regular = S_ISREG(status.st_mode) || status.st_mode == 0;
  if (!regular) return "set offset.storage.file.filename to a regular file, or to a new one";
  return absl::StrCat(advice.empty() ? absl::StrCat("let this user write ", path) : advice,
                      "; keep this file: it has the stored position, which another one lacks");
}

absl::Status Unreadable(const std::string& path, int error) {
  if (error == EFBIG) {
    return Error(absl::StatusCode::kFailedPrecondition, "offset_file_unreadable",
                 absl::StrCat("cannot read the offset file ", path, ": larger than 64 MiB"),
                 "set offset.storage.file.filename to the file that holds the positions");
  }
  return Error(absl::StatusCode::kFailedPrecondition, "offset_file_unreadable",
               absl::StrCat("cannot read the offset file ", path, ": ", std::strerror(error)),
               HintFor(path, WritingAdvice(path, error)));
}

// error: of the system, or EINVAL with why.
absl::Status Unwritable(const std::string& path, int error, absl::string_view why = "") {
  return Error(absl::StatusCode::kFailedPrecondition, "offset_file_unwritable",
               absl::StrCat("cannot write the offset file ", path, ": ",
                            why.empty() ? absl::string_view(std::strerror(error)) : why),
               HintFor(path, WritingAdvice(path, error)));
}

// Linux tells since 5.8; before, the first rename does.
bool IsMountPoint(const std::string& path) {
  struct statx status {};
  return statx(AT_FDCWD, path.c_str(), AT_SYMLINK_NOFOLLOW, STATX_BASIC_STATS, &status) == 0 &&
         (status.stx_attributes & status.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) != 0;
}

}  // namespace

absl::StatusOr<std::string> ReadOffsetFile(const std::string& path) {
  std::optional<std::string> content = ReadWholeFile(path);
  if (content) return *std::move(content);
  if (errno == ENOENT) return std::string();
  return Unreadable(path, errno);
}

std::string BehindLinks(std::string path) {
  constexpr int kMost = 40;  // as Linux has it
  for (int followed = 0; followed < kMost; ++followed) {
    std::error_code none;
    const std::filesystem::path link = path;
    const std::filesystem::path target = std::filesystem::read_symlink(link, none);
    if (none) break;
    path = (link.parent_path() / target).string();  // target, where that is absolute
  }
  return path;
}

absl::Status ReplaceOffsetFile(const std::string& path, absl::string_view content) {
  if (ReplaceWholeFile(path, content)) return absl::OkStatus();
  return errno == EBUSY ? Mounted(path) : Unwritable(path, errno);
}

FileLock::FileLock(const std::string& path) {
  // The file that is there, or the directory before there is one. A lock on a file that has been
  // replaced meanwhile is a lock on nothing.
  for (int attempt = 0; attempt < 3; ++attempt) {
    fd_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    const bool file = fd_ >= 0;
    if (!file) fd_ = open(DirectoryOf(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd_ < 0) return;
    if (flock(fd_, LOCK_EX | LOCK_NB) != 0) {
      busy_ = errno == EWOULDBLOCK;  // a file system without locks is used without
      return;
    }
    struct stat held {};
    struct stat named {};
    const bool exists = stat(path.c_str(), &named) == 0;
    if (exists == file && (!file || (fstat(fd_, &held) == 0 && held.st_ino == named.st_ino &&
                                     held.st_dev == named.st_dev))) {
      return;
    }
    close(fd_);
    fd_ = -1;
  }
  busy_ = true;
}

FileLock::~FileLock() {
  if (fd_ >= 0) close(fd_);
}

absl::Status FileLock::status(const std::string& path) const {
  if (!busy_) return absl::OkStatus();
  return Error(
      absl::StatusCode::kUnavailable, "offset_file_locked",
      absl::StrCat("another process is writing the offset file ", path),
      "several processes must not share an offset file; see who has it open with: fuser -v "
      "FILE");
}

absl::Status CheckReplaceable(const std::string& path) {
  struct stat status {};
  const bool exists = stat(path.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode))
    return Unwritable(path, EINVAL, "it is not a regular file");
  if (exists && IsMountPoint(path)) return Mounted(path);
  if (exists && access(path.c_str(), W_OK) != 0) return Unwritable(path, errno);
  const std::string temporary = absl::StrCat(path, ".walduct-check");
  const FileDescriptor file(
      open(temporary.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, ModeOf(path, 0644)));
  if (file.get() < 0) return Unwritable(path, errno);
  unlink(temporary.c_str());
  return absl::OkStatus();
}

}  // namespace walduct::offset
