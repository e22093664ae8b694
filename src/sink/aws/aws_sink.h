// AwsSink: records to Kinesis, SQS or SNS, which a thread of its own sends (AwsSender). What passes
// is waited for: a service that is away, throttles, or does not know who asks. Nothing here blocks
// but PrepareTopics and Flush. Data thread only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/environment.h"
#include "base/ready_set.h"
#include "sink/aws/aws_sender.h"
#include "sink/aws/aws_sink_options.h"
#include "sink/sink.h"
#include "sink/target_wait.h"
#include "sink/unacknowledged.h"

namespace walduct::sink {

class AwsSink final : public Sink {
 public:
  static absl::StatusOr<std::unique_ptr<Sink>> Create(const AwsSinkOptions& options,
                                                      const Environment& environment);
  // What PrepareTopics asks; *asked: whom, and what there is.
  static absl::Status Ask(const AwsSinkOptions& options, const Environment& environment,
                          absl::Span<const std::string> topics, Stopping stopping,
                          std::string* asked);

  absl::Status PrepareTopics(absl::Span<const std::string> topics, Stopping stopping) override;
  bool HasCapacity() override { return bytes_ < most_bytes_; }
  Load load() const override { return {.bytes = bytes_, .limit_bytes = most_bytes_}; }
  absl::Status Write(const event::Record& record, Ticket ticket) override {
    return Take(record, ticket, false);
  }
  absl::Status WriteLetter(const event::Record& letter, Ticket ticket) override {
    return Take(letter, ticket, true);
  }
  absl::Status Poll(AckHandler& acks) override;
  int ready_fd() const override { return ready_.fd(); }
  absl::Status Flush(AckHandler& acks, absl::Duration timeout) override;
  void RenewPermit() override { sender_->RenewPermit(); }
  std::string WaitingFor() override;
  std::string WaitingHint() const override { return wait_.Hint(); }

 private:
  AwsSink(const AwsSinkOptions& options, const Environment& environment);
  absl::Status Take(const event::Record& record, Ticket ticket, bool letter);
  void GiveOn();
  void Settle(AwsSender::Message message);
  void TakeNews(AckHandler& acks);
  absl::Status HandBack(AckHandler& acks);

  const AwsSinkOptions options_;
  const Environment environment_;
  const size_t most_bytes_;
  Alarm alarm_;
  ReadySet ready_;
  std::vector<AwsSender::Message> kept_;  // not given on yet
  std::vector<AwsSender::Message> spare_;
  AwsSender::News news_;
  std::vector<AwsSender::Message> refused_;  // nobody has taken charge of them yet
  std::vector<event::Header> headers_;
  size_t bytes_ = 0, records_ = 0;  // of what is not settled
  Unacknowledged skipped_;          // tombstones
  bool told_of_tombstones_ = false;
  bool handing_back_ = false;  // there is room for a letter: it takes the place of what it is of
  TargetWait wait_;
  absl::Status broken_;
  std::unique_ptr<AwsSender> sender_;  // the first to go
};

}  // namespace walduct::sink
