// SocketSink: a toy that CONTRIBUTING.md's recipe makes: records as lines of JSON to a UNIX socket,
// whose reader answers each with a byte once it has it. Acknowledgements come later and in order.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "sink/sink.h"

namespace walduct::sink {

struct SocketSinkOptions {
  size_t buffer_bytes = 8u << 20;  // not acknowledged yet, at most
  std::string path;
};

class SocketSink final : public Sink {
 public:
  // Unavailable: nobody listens there.
  static absl::StatusOr<std::unique_ptr<Sink>> Connect(const SocketSinkOptions& options);
  ~SocketSink() override;

  bool HasCapacity() override { return in_flight_.empty() || bytes_ < options_.buffer_bytes; }
  Load load() const override { return {.bytes = bytes_, .limit_bytes = options_.buffer_bytes}; }
  absl::Status Write(const event::Record& record, Ticket ticket) override;
  absl::Status Poll(AckHandler& acks) override;
  int ready_fd() const override { return fd_; }
  absl::Status Flush(AckHandler& acks, absl::Duration timeout) override;
  std::string WaitingFor() override { return "the reader of " + options_.path; }

 private:
  struct InFlight {
    Ticket ticket;
    size_t bytes;
  };

  SocketSink(SocketSinkOptions options, int fd) : options_(std::move(options)), fd_(fd) {}
  absl::Status Send();
  absl::Status Receive(AckHandler& acks);
  absl::Status Break(absl::string_view what);

  const SocketSinkOptions options_;
  const int fd_;
  std::string unsent_;
  std::deque<InFlight> in_flight_;
  size_t bytes_ = 0;  // of in_flight_
  absl::Status broken_;
};

}  // namespace walduct::sink
