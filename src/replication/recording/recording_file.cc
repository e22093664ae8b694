#include "replication/recording/recording_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace walduct::replication {
namespace {

constexpr mode_t kOwnersAlone = 0600;
constexpr size_t kBufferBytes = 256 << 10;

absl::Status ThereAlready(const std::string& path) {
  return absl::InvalidArgumentError(absl::StrCat(
      "FILE '", path, "' is there already; name another one, or overwrite it with --force"));
}

absl::Status NotWritten(const std::string& path, int error) {
  return absl::UnavailableError(
      absl::StrCat("the recording ", path, " cannot be written: ", std::strerror(error)));
}

}  // namespace

absl::Status RecordingFile::CheckPath(const std::string& path, bool overwrite) {
  struct stat found = {};
  if (lstat(path.c_str(), &found) != 0) return absl::OkStatus();
  if (!overwrite) return ThereAlready(path);
  if (S_ISREG(found.st_mode)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("FILE '", path, "' is no ordinary file; name another one"));
}

absl::StatusOr<RecordingFile> RecordingFile::Create(const std::string& path, bool overwrite,
                                                    const RecordingNames& names) {
  RETURN_IF_ERROR(CheckPath(path, overwrite));
  const int how = overwrite ? O_TRUNC | O_NOFOLLOW : O_EXCL;
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | how, kOwnersAlone);
  if (file < 0 && errno == EEXIST) return ThereAlready(path);
  if (file < 0) return NotWritten(path, errno);
  RecordingFile created(path, file);
  // One that was there may be anybody's to read.
  if (fchmod(file, kOwnersAlone) != 0) return NotWritten(path, errno);
  created.buffer_ = BeginRecording(names);
  return created;
}

RecordingFile::RecordingFile(RecordingFile&& from) noexcept
    : path_(std::move(from.path_)),
      file_(std::exchange(from.file_, -1)),
      buffer_(std::move(from.buffer_)) {}

RecordingFile::~RecordingFile() {
  if (file_ >= 0) close(file_);
}

absl::Status RecordingFile::Add(Lsn lsn, absl::string_view payload) {
  AppendToRecording(lsn, payload, &buffer_);
  return buffer_.size() < kBufferBytes ? absl::OkStatus() : Flush();
}

absl::Status RecordingFile::Finish() {
  buffer_ += EndOfRecording();
  RETURN_IF_ERROR(Flush());
  return close(std::exchange(file_, -1)) == 0 ? absl::OkStatus() : NotWritten(path_, errno);
}

absl::Status RecordingFile::Flush() {
  size_t done = 0;
  absl::Status status;
  while (status.ok() && done < buffer_.size()) {
    const ssize_t written = write(file_, buffer_.data() + done, buffer_.size() - done);
    if (written >= 0)
      done += static_cast<size_t>(written);
    else if (errno != EINTR)
      status = NotWritten(path_, errno);
  }
  buffer_.erase(0, done);  // what is left may be tried again
  return status;
}

}  // namespace walduct::replication
