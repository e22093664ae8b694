#include "tests/sink/toy/socket_sink.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "sink/line/record_text.h"

namespace walduct::sink {

absl::StatusOr<std::unique_ptr<Sink>> SocketSink::Connect(const SocketSinkOptions& options) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (options.path.size() >= sizeof(address.sun_path))
    return Error(absl::StatusCode::kInvalidArgument, "output_unwritable",
                 absl::StrCat(options.path, " is too long for a UNIX socket"), "a shorter path");
  std::memcpy(address.sun_path, options.path.data(), options.path.size());
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return absl::ErrnoToStatus(errno, "socket");
  if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    close(fd);
    return Error(absl::StatusCode::kUnavailable, "output_unwritable",
                 absl::StrCat("nobody listens at ", options.path), "start its reader");
  }
  fcntl(fd, F_SETFL, O_NONBLOCK);
  return std::unique_ptr<Sink>(new SocketSink(options, fd));
}

SocketSink::~SocketSink() { close(fd_); }

absl::Status SocketSink::Write(const event::Record& record, Ticket ticket) {
  if (!broken_.ok()) return broken_;
  if (!HasCapacity()) return absl::ResourceExhaustedError("the reader is behind");
  const size_t before = unsent_.size();
  AppendRecordLine(record, &unsent_);
  in_flight_.push_back({ticket, unsent_.size() - before});
  bytes_ += in_flight_.back().bytes;
  return Send();
}

absl::Status SocketSink::Send() {
  while (!unsent_.empty()) {
    const ssize_t count = send(fd_, unsent_.data(), unsent_.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return absl::OkStatus();
    if (count < 0) return Break(std::strerror(errno));
    unsent_.erase(0, static_cast<size_t>(count));
  }
  return absl::OkStatus();
}

// A byte for each record.
absl::Status SocketSink::Receive(AckHandler& acks) {
  char answers[512];
  while (true) {
    const ssize_t count = recv(fd_, answers, sizeof(answers), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return absl::OkStatus();
    if (count <= 0) return Break(count == 0 ? "its reader has gone" : std::strerror(errno));
    for (ssize_t i = 0; i < count && !in_flight_.empty(); ++i) {
      acks.OnAcknowledged(in_flight_.front().ticket, 1);
      bytes_ -= in_flight_.front().bytes;
      in_flight_.pop_front();
    }
  }
}

absl::Status SocketSink::Break(absl::string_view what) {
  broken_ = Error(absl::StatusCode::kUnavailable, "output_unwritable",
                  absl::StrCat(options_.path, ": ", what), "start its reader");
  return broken_;
}

absl::Status SocketSink::Poll(AckHandler& acks) {
  if (!broken_.ok()) return broken_;
  RETURN_IF_ERROR(Send());
  return Receive(acks);
}

absl::Status SocketSink::Flush(AckHandler& acks, absl::Duration timeout) {
  const absl::Time deadline = absl::Now() + timeout;
  while (true) {
    RETURN_IF_ERROR(Poll(acks));
    if (in_flight_.empty()) return absl::OkStatus();
    if (absl::Now() > deadline)
      return Error(absl::StatusCode::kDeadlineExceeded, "flush_timeout",
                   absl::StrCat("the reader of ", options_.path, " is behind"), "");
    pollfd ready{fd_, static_cast<int16_t>(unsent_.empty() ? POLLIN : POLLIN | POLLOUT), 0};
    poll(&ready, 1, 10);
  }
}

}  // namespace walduct::sink
