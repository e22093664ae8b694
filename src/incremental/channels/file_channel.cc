#include "incremental/channels/file_channel.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "incremental/channels/signal_text.h"

namespace walduct::incremental {
namespace {

absl::Status FileError(absl::string_view doing, const std::string& path, int error) {
  return Error(
      absl::StatusCode::kUnavailable, "signal_file_unusable",
      absl::StrCat("the file of signals ", path, " cannot be ", doing, ": ", std::strerror(error)),
      "let walduct read and write it: signal.file");
}

// A descriptor that is closed.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

 private:
  const int fd_;
};

}  // namespace

absl::StatusOr<SignalChannel::Signals> FileChannel::Poll() {
  const Descriptor file(open(path_.c_str(), O_RDWR | O_CLOEXEC));
  if (file.get() < 0) {
    // It may come.
    if (errno == ENOENT) return Signals();
    return FileError("opened", path_, errno);
  }
  return Read(file.get());
}

absl::StatusOr<SignalChannel::Signals> FileChannel::Read(int fd) {
  struct stat now {};
  if (fstat(fd, &now) != 0) return FileError("read", path_, errno);
  if (now.st_ino != file_ || now.st_size < read_) read_ = size_ = 0;
  file_ = now.st_ino;
  const bool grows = now.st_size != size_;
  size_ = now.st_size;
  Signals signals;
  if (size_ > read_) {
    std::string text(static_cast<size_t>(size_ - read_), '\0');
    const ssize_t got = pread(fd, text.data(), text.size(), read_);
    if (got < 0) return FileError("read", path_, errno);
    text.resize(static_cast<size_t>(got));
    size_t begin = 0;
    for (size_t end = 0; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
      TakeLine(absl::string_view(text).substr(begin, end - begin), &signals);
    if (!grows && begin < text.size()) {
      TakeLine(absl::string_view(text).substr(begin), &signals);
      begin = text.size();
    }
    read_ += static_cast<int64_t>(begin);
  }
  pending_ += signals.size();
  if (pending_ == 0 && read_ > 0) RETURN_IF_ERROR(Empty(fd));
  return signals;
}

void FileChannel::TakeLine(absl::string_view line, Signals* signals) const {
  const absl::string_view text = absl::StripAsciiWhitespace(line);
  if (text.empty()) return;
  signals->push_back(ParseSignalText(text, absl::StrCat("a line of ", path_)));
}

// What was written behind the last line that was read stays.
absl::Status FileChannel::Empty(int fd) {
  struct stat now {};
  if (fstat(fd, &now) != 0) return FileError("read", path_, errno);
  if (now.st_size != read_) return absl::OkStatus();
  if (ftruncate(fd, 0) != 0) return FileError("emptied", path_, errno);
  read_ = size_ = 0;
  return absl::OkStatus();
}

}  // namespace walduct::incremental
