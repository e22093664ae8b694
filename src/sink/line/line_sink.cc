#include "sink/line/line_sink.h"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "sink/eyes/eyes_record.h"
#include "sink/line/torn_line.h"
#include "sink/null_sink.h"

namespace walduct::sink {
namespace {

// Written out in pieces of this size while records come, so that a burst does not sit in memory.
constexpr size_t kChunkBytes = 256u << 10;

absl::Status Unwritable(absl::string_view name, absl::string_view property, int error) {
  const std::string hint =
      error == EPIPE ? "whoever read it has ended: start it again with a reader"
      : property.empty()
          ? "check where it is directed to: permissions and free space"
          : absl::StrCat("check ", property, ", its directory, permissions and free space");
  return Error(absl::StatusCode::kFailedPrecondition, "output_unwritable",
               absl::StrCat("cannot write to ", name, ": ", std::strerror(error)), hint);
}

// A pipe that nobody reads would be waited for in the system, without a word and past any stop.
absl::StatusOr<int> OpenToAppend(const FileSinkOptions& options) {
  const char* const path = options.path.c_str();
  // Rows of the database: for the owner alone. A file that exists keeps its mode.
  const int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0600);
  if (fd >= 0) {
    fcntl(fd, F_SETFL, O_APPEND);  // writes may take their time
    return fd;
  }
  struct stat status {};
  if (errno != ENXIO || stat(path, &status) != 0 || !S_ISFIFO(status.st_mode))
    return Unwritable(path, options.property, errno);
  return Error(absl::StatusCode::kUnavailable, "output_unwritable",
               absl::StrCat("nobody reads from the pipe ", path),
               "start its reader; it goes on by itself");
}

// As it is now: a window may change. 0: no terminal.
size_t ColumnsOf(int fd) {
  winsize size = {};
  return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

bool IsColourful(int fd) {
  const char* const none = std::getenv("NO_COLOR");
  return isatty(fd) == 1 && (none == nullptr || *none == '\0');
}

}  // namespace

absl::StatusOr<std::unique_ptr<Sink>> LineSink::ToStandardOutput(const StdoutSinkOptions& options) {
  return std::unique_ptr<Sink>(new LineSink({.name = "standard output",
                                             .fd = STDOUT_FILENO,
                                             .pretty = options.pretty,
                                             .full = options.full,
                                             .eyes = options.eyes,
                                             .buffer_bytes = options.buffer_bytes,
                                             .reader_left = options.reader_left}));
}

absl::StatusOr<std::unique_ptr<Sink>> LineSink::ToFile(const FileSinkOptions& options) {
  const std::string& path = options.path;
  ASSIGN_OR_RETURN(const int fd, OpenToAppend(options));
  if (IsNullDevice(fd)) {
    close(fd);
    return std::make_unique<NullSink>();
  }
  std::unique_ptr<Sink> sink(new LineSink({.name = path,
                                           .property = options.property,
                                           .fd = fd,
                                           .owned = true,
                                           .buffer_bytes = options.buffer_bytes}));
  uint64_t cut = 0;
  if (const int error = MendLastLine(path, fd, &cut); error != 0)
    return Unwritable(path, options.property, error);
  if (cut > 0)
    log::Info("removed an incomplete record at the end of the file; it was never acknowledged",
              {{"file", path}, {"bytes", cut}});
  return sink;
}

absl::Status LineSink::CheckFile(const FileSinkOptions& options) {
  const std::string& path = options.path;
  if (access(path.c_str(), W_OK) == 0) return absl::OkStatus();
  if (errno != ENOENT) return Unwritable(path, options.property, errno);
  const size_t end = path.rfind('/');
  const std::string folder =
      end == std::string::npos ? "." : path.substr(0, std::max<size_t>(end, 1));
  return access(folder.c_str(), W_OK | X_OK) == 0 ? absl::OkStatus()
                                                  : Unwritable(path, options.property, errno);
}

LineSink::LineSink(const Options& options)
    : options_(options),
      style_{.colour = (options.pretty || options.eyes) && IsColourful(options.fd),
             .full = options.full},
      buffer_bytes_(std::max(options.buffer_bytes, kChunkBytes)) {}

LineSink::~LineSink() {
  if (options_.owned) close(options_.fd);
}

absl::Status LineSink::Write(const event::Record& record, Ticket ticket) {
  if (!broken_.ok()) return broken_;
  if (!HasCapacity()) return absl::ResourceExhaustedError("output buffer is full");
  Append(record);
  written_.Add(ticket);
  if (buffer_.size() >= kChunkBytes) RETURN_IF_ERROR(WriteOut());
  return absl::OkStatus();
}

void LineSink::Append(const event::Record& record) {
  if (options_.eyes) {
    AppendEyesRecord(record, {.colour = style_.colour, .columns = ColumnsOf(options_.fd)},
                     &buffer_);
  } else if (options_.pretty) {
    AppendPrettyRecord(record, style_, &buffer_);
  } else {
    AppendRecordLine(record, &buffer_);
  }
}

absl::Status LineSink::Poll(AckHandler& acks) {
  if (!broken_.ok()) return broken_;
  if (written_.empty()) return absl::OkStatus();
  RETURN_IF_ERROR(WriteOut());
  if (!buffer_.empty()) return absl::OkStatus();  // a terminal or pipe that takes no more now
  // Some files cannot be synchronised: a pipe or a device by name.
  if (options_.owned && fdatasync(options_.fd) != 0 && errno != EINVAL && errno != EROFS) {
    broken_ = Unwritable(options_.name, options_.property, errno);
    return broken_;
  }
  if (options_.owned && IsGone()) {
    broken_ = Error(absl::StatusCode::kFailedPrecondition, "output_unwritable",
                    absl::StrCat(options_.name,
                                 " was removed while it was written to: what was "
                                 "written since nobody can read"),
                    "start the connector again: it writes a new file from the stored position on");
    return broken_;
  }
  written_.AcknowledgeAll(acks);
  return absl::OkStatus();
}

// Whoever has removed it has removed what is written from now on, too.
bool LineSink::IsGone() const {
  struct stat status {};
  return fstat(options_.fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink == 0;
}

absl::Status LineSink::Flush(AckHandler& acks, absl::Duration timeout) {
  static_cast<void>(timeout);  // what reads its output is not waited for
  RETURN_IF_ERROR(Poll(acks));
  if (written_.empty()) return absl::OkStatus();
  return Error(absl::StatusCode::kDeadlineExceeded, "flush_timeout",
               absl::StrCat(options_.name, " accepts no more data"));
}

absl::Status LineSink::WriteOut() {
  absl::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t count = write(options_.fd, rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) break;
    if (count < 0 && errno == EPIPE && options_.reader_left) {
      options_.reader_left();
      rest = {};
      break;
    }
    if (count < 0) {
      broken_ = Unwritable(options_.name, options_.property, errno);
      return broken_;
    }
    rest.remove_prefix(static_cast<size_t>(count));
  }
  buffer_.erase(0, buffer_.size() - rest.size());
  return absl::OkStatus();
}

}  // namespace walduct::sink
