#include "base/whole_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace walduct {
namespace {

bool WriteAll(int fd, absl::string_view content) {
  while (!content.empty()) {
    const ssize_t written = write(fd, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    content.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

// Whoever repairs something as root leaves the file to who runs the connector.
bool KeepOwner(const std::string& path, int fd) {
  struct stat status {};
  return geteuid() != 0 || stat(path.c_str(), &status) != 0 ||
         fchown(fd, status.st_uid, status.st_gid) == 0;
}

// A rename is durable only once the directory is.
bool SyncDirectory(const std::string& path) {
  const FileDescriptor directory(
      open(DirectoryOf(path).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // Some file systems do not sync directories and say EINVAL.
  return directory.get() >= 0 && (fsync(directory.get()) == 0 || errno == EINVAL);
}

}  // namespace

bool FileDescriptor::Close() {
  const int fd = fd_;
  fd_ = -1;
  return fd < 0 || close(fd) == 0;
}

std::string DirectoryOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::optional<std::string> ReadWholeFile(const std::string& path, const FileReading& how) {
  const FileDescriptor file(
      open(path.c_str(), O_RDONLY | O_CLOEXEC | (how.follows_links ? 0 : O_NOFOLLOW)));
  if (file.get() < 0) return std::nullopt;
  std::string content;
  char chunk[4096];
  while (content.size() <= how.most) {
    const ssize_t got = read(file.get(), chunk, sizeof(chunk));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return std::nullopt;
    if (got == 0) return content;
    content.append(chunk, static_cast<size_t>(got));
  }
  errno = EFBIG;
  return std::nullopt;
}

std::string TemporaryOf(const std::string& path) { return path + ".walduct-new"; }

mode_t ModeOf(const std::string& path, mode_t of_new) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 ? status.st_mode & 0777 : of_new;
}

bool ReplaceWholeFile(const std::string& path, absl::string_view content,
                      const FileReplacing& how) {
  const std::string temporary = how.temporary.empty() ? TemporaryOf(path) : how.temporary;
  unlink(temporary.c_str());  // of one that was killed, or not ours
  FileDescriptor file(open(temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                           ModeOf(path, how.mode)));
  if (file.get() < 0) return false;
  if (KeepOwner(path, file.get()) && (!how.exact || fchmod(file.get(), how.mode) == 0) &&
      WriteAll(file.get(), content) && (!how.durable || fsync(file.get()) == 0) && file.Close() &&
      std::rename(temporary.c_str(), path.c_str()) == 0 && (!how.durable || SyncDirectory(path)))
    return true;
  const int error = errno;
  unlink(temporary.c_str());
  errno = error;
  return false;
}

}  // namespace walduct
