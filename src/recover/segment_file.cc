#include "recover/segment_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace walduct::recover {
namespace {

constexpr uint64_t kBlockBytes = 8192;

absl::Status Unwritable(const std::string& path) {
  return absl::FailedPreconditionError(
      absl::StrCat("cannot write ", path, ": ", std::strerror(errno)));
}

bool WriteAt(int fd, absl::string_view bytes, uint64_t at) {
  while (!bytes.empty()) {
    const ssize_t written = pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<size_t>(written));
    at += static_cast<uint64_t>(written);
  }
  return true;
}

bool CloseAfter(bool done, int fd) {
  const int error = errno;
  if (close(fd) == 0 && done) return true;
  if (!done) errno = error;
  return false;
}

// How much both begin with, in whole blocks.
uint64_t Same(absl::string_view one, absl::string_view other, uint64_t most) {
  uint64_t at = 0;
  while (at + kBlockBytes <= most && one.substr(at, kBlockBytes) == other.substr(at, kBlockBytes))
    at += kBlockBytes;
  return at;
}

}  // namespace

MappedFile::MappedFile(const std::string& path) {
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  struct stat status {};
  if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
    const auto size = static_cast<size_t>(status.st_size);
    void* const mapped = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (mapped != MAP_FAILED) {
      data_ = static_cast<const char*>(mapped);
      size_ = size;
    }
  }
  close(fd);
}

MappedFile::~MappedFile() {
  if (size_ > 0) munmap(const_cast<char*>(data_), size_);
}

absl::Status WriteUpTo(absl::string_view segment, uint64_t bytes, const std::string& path) {
  // What is there may be a file that the server has open.
  unlink(path.c_str());
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return Unwritable(path);
  const bool done = WriteAt(fd, segment.substr(0, bytes), 0) &&
                    ftruncate(fd, static_cast<off_t>(segment.size())) == 0;
  return CloseAfter(done, fd) ? absl::OkStatus() : Unwritable(path);
}

absl::Status GrowTo(absl::string_view segment, uint64_t bytes, const std::string& had,
                    const std::string& path) {
  uint64_t from = 0;
  {
    const MappedFile there(had);
    if (there.bytes().size() != segment.size()) return WriteUpTo(segment, bytes, path);
    from = Same(there.bytes(), segment, bytes);
  }
  const int fd = open(had.c_str(), O_WRONLY | O_CLOEXEC);
  if (fd < 0) return WriteUpTo(segment, bytes, path);
  if (!CloseAfter(WriteAt(fd, segment.substr(from, bytes - from), from), fd))
    return Unwritable(had);
  unlink(path.c_str());
  // A file system without links gets a copy.
  return link(had.c_str(), path.c_str()) == 0 ? absl::OkStatus() : WriteUpTo(segment, bytes, path);
}

bool Has(const std::string& path, absl::string_view segment, uint64_t bytes) {
  const MappedFile there(path);
  return there.bytes().size() == segment.size() &&
         there.bytes().substr(0, bytes) == segment.substr(0, bytes);
}

}  // namespace walduct::recover
