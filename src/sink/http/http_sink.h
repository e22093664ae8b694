// HttpSink: each record as a request to an HTTP server, which a thread of its own sends
// (HttpSender). A tombstone is not sent, and counts as written. Nothing here blocks but
// PrepareTopics and Flush. Data thread only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/environment.h"
#include "sink/http/http_sender.h"
#include "sink/http/http_sink_options.h"
#include "sink/http/outgoing.h"
#include "sink/http/request_writer.h"
#include "sink/sink.h"
#include "sink/unacknowledged.h"

namespace walduct::sink {

class HttpSink final : public Sink {
 public:
  static absl::StatusOr<std::unique_ptr<Sink>> Create(const HttpSinkOptions& options,
                                                      const Environment& environment);

  absl::Status PrepareTopics(absl::Span<const std::string> topics, Stopping stopping) override;
  bool HasCapacity() override { return bytes_ < most_bytes_; }
  Load load() const override { return {.bytes = bytes_, .limit_bytes = most_bytes_}; }
  absl::Status Write(const event::Record& record, Ticket ticket) override;
  // Also one without a value.
  absl::Status WriteLetter(const event::Record& letter, Ticket ticket) override;
  absl::Status Poll(AckHandler& acks) override;
  int ready_fd() const override { return sender_->fd(); }
  absl::Status Flush(AckHandler& acks, absl::Duration timeout) override;
  void RenewPermit() override { sender_->RenewPermit(); }
  std::string WaitingFor() override;
  std::string WaitingHint() const override;

 private:
  HttpSink(const HttpSinkOptions& options, const Environment& environment);
  absl::Status WriteValue(const event::Record& record, Ticket ticket);
  std::unique_ptr<Outgoing> Spare();
  void GiveOn();
  void TakeOutcomes(AckHandler& acks);
  absl::Status HandBack(AckHandler& acks);
  void Settle(std::unique_ptr<Outgoing> record);

  const HttpSinkOptions options_;
  const Environment environment_;
  RequestWriter writer_;
  const size_t most_bytes_;
  std::vector<std::unique_ptr<Outgoing>> kept_;  // not given to the sender yet
  std::vector<std::unique_ptr<Outgoing>> spare_;
  std::vector<HttpSender::Outcome> outcomes_;
  std::vector<HttpSender::Outcome> refused_;  // nobody has taken charge of them yet
  std::vector<event::Header> headers_;
  size_t bytes_ = 0;  // of what is not settled
  size_t records_ = 0;
  Unacknowledged settled_;  // tombstones
  bool told_of_tombstones_ = false;
  bool handing_back_ = false;  // there is room for a letter: it takes the place of what it is of
  absl::Status broken_;
  std::unique_ptr<HttpSender> sender_;  // the first to go
};

}  // namespace walduct::sink
