#include "spill/unnamed_files.h"

#include <fcntl.h>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkostemp
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "spill/errors.h"

namespace walduct::spill {
namespace {

class UnnamedFile final : public DiskFile {
 public:
  UnnamedFile(int fd, const std::string& directory) : fd_(fd), directory_(directory) {}
  ~UnnamedFile() override { close(fd_); }
  UnnamedFile(const UnnamedFile&) = delete;
  UnnamedFile& operator=(const UnnamedFile&) = delete;

  absl::Status Append(absl::string_view bytes) override;
  absl::StatusOr<size_t> Read(uint64_t offset, char* buffer, size_t size) override;

 private:
  const int fd_;
  const std::string directory_;
};

bool IsFull(int error) { return error == ENOSPC || error == EDQUOT || error == EFBIG; }

absl::Status UnnamedFile::Append(absl::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && IsFull(errno)) return FullError(directory_, std::strerror(errno));
    if (written < 0) return UnwritableError(directory_, std::strerror(errno));
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return absl::OkStatus();
}

absl::StatusOr<size_t> UnnamedFile::Read(uint64_t offset, char* buffer, size_t size) {
  size_t done = 0;
  while (done < size) {
    const ssize_t got = pread(fd_, buffer + done, size - done, static_cast<off_t>(offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return UnreadableError(std::strerror(errno));
    if (got == 0) break;
    done += static_cast<size_t>(got);
  }
  return done;
}

// For file systems that do not know O_TMPFILE.
int OpenAndUnlink(const std::string& directory) {
  std::string path = directory + "/walduct-spill-XXXXXX";
  const int fd = mkostemp(path.data(), O_CLOEXEC);
  if (fd >= 0) unlink(path.c_str());
  return fd;
}

}  // namespace

absl::StatusOr<std::unique_ptr<DiskFile>> UnnamedFiles::Create() {
  int fd = open(directory_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  // EISDIR: a kernel or file system without O_TMPFILE.
  if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL))
    fd = OpenAndUnlink(directory_);
  if (fd < 0 && IsFull(errno)) return FullError(directory_, std::strerror(errno));
  if (fd < 0) return UnwritableError(directory_, std::strerror(errno));
  return std::make_unique<UnnamedFile>(fd, directory_);
}

}  // namespace walduct::spill
