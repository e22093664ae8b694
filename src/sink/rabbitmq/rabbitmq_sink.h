// RabbitMqSink: records as messages of RabbitMQ, which a thread of its own sends and whose confirms
// it awaits (Publisher). What passes is waited for: a server that is away, an alarm, an exchange
// that is missing, a message that no queue takes. Nothing here blocks but PrepareTopics and Flush.
// Data thread only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/environment.h"
#include "base/ready_set.h"
#include "sink/rabbitmq/publisher.h"
#include "sink/rabbitmq/rabbitmq_sink_options.h"
#include "sink/sink.h"
#include "sink/target_wait.h"

namespace walduct::sink {

class RabbitMqSink final : public Sink {
 public:
  RabbitMqSink(const RabbitMqSinkOptions& options, const Environment& environment);
  ~RabbitMqSink() override { publisher_->End(); }

  absl::Status PrepareTopics(absl::Span<const std::string> topics, Stopping stopping) override;
  bool HasCapacity() override { return bytes_ < most_bytes_ && records_ < most_records_; }
  Load load() const override { return {.bytes = bytes_, .limit_bytes = most_bytes_}; }
  absl::Status Write(const event::Record& record, Ticket ticket) override;
  absl::Status Poll(AckHandler& acks) override;
  int ready_fd() const override { return ready_.fd(); }
  absl::Status Flush(AckHandler& acks, absl::Duration timeout) override;
  void RenewPermit() override { publisher_->RenewPermit(); }
  std::string WaitingFor() override;
  std::string WaitingHint() const override { return wait_.Hint(); }

 private:
  void GiveOn();
  void Settle(Publisher::Message message);
  absl::Status HandBack(AckHandler& acks);

  const RabbitMqSinkOptions options_;
  const Environment environment_;
  const size_t most_bytes_, most_records_;
  const std::string address_;
  const std::shared_ptr<Publisher> publisher_;
  Alarm alarm_;
  ReadySet ready_;
  std::vector<Publisher::Message> kept_;  // not given on yet
  std::vector<Publisher::Message> spare_;
  Publisher::News news_;
  std::vector<Publisher::Outcome> refused_;  // nobody has taken charge of it yet
  std::vector<event::Header> headers_;
  size_t bytes_ = 0, records_ = 0;  // of what is not settled
  bool handing_back_ = false;  // there is room for a letter: it takes the place of what it is of
  TargetWait wait_;
  absl::Status broken_;
};

}  // namespace walduct::sink
