#include "sink/rabbitmq/rabbitmq_sink.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/aside.h"
#include "base/error.h"
#include "base/status_macros.h"

namespace walduct::sink {
namespace {

// More in memory makes nothing faster.
constexpr size_t kMostBytes = 4u << 20;
constexpr size_t kHandful = 64;
constexpr size_t kMostSpare = 512;
constexpr size_t kSpareBytes = 8u << 10;
constexpr size_t kMessageBytes = 400;  // beside its texts
// Whoever waits for ready_fd() polls then: others may follow meanwhile.
constexpr absl::Duration kSoon = absl::Milliseconds(1);

}  // namespace

RabbitMqSink::RabbitMqSink(const RabbitMqSinkOptions& options, const Environment& environment)
    : options_(options),
      environment_(environment),
      most_bytes_(std::min(options.buffer_bytes, kMostBytes)),
      most_records_(4 * options.most_on_way + kHandful),
      address_(rabbitmq::AddressOf(options.server)),
      publisher_(Publisher::Start(options, environment)),
      wait_("RabbitMQ", environment, absl::Milliseconds(300), absl::Seconds(10)) {
  ready_.Add(alarm_.fd());
  ready_.Add(publisher_->fd());
}

absl::Status RabbitMqSink::PrepareTopics(absl::Span<const std::string> topics, Stopping stopping) {
  const auto prepare = [options = options_, all = std::vector(topics.begin(), topics.end())] {
    return Publisher::Prepare(options, all);
  };
  return RunAside(prepare, environment_, stopping);
}

absl::Status RabbitMqSink::Write(const event::Record& record, Ticket ticket) {
  if (!broken_.ok()) return broken_;
  if (!handing_back_ && !HasCapacity()) {
    GiveOn();
    return absl::ResourceExhaustedError("RabbitMQ is behind");
  }
  Publisher::Message message;
  if (spare_.empty()) {
    message = std::make_unique<RabbitMessage>();
  } else {
    message = std::move(spare_.back());
    spare_.pop_back();
  }
  RETURN_IF_ERROR(message->Assign(record, ticket, options_));
  bytes_ += message->bytes() + kMessageBytes;
  ++records_;
  if (kept_.empty()) alarm_.Set(kSoon);
  kept_.push_back(std::move(message));
  if (kept_.size() >= kHandful) GiveOn();
  return absl::OkStatus();
}

void RabbitMqSink::GiveOn() {
  if (!kept_.empty()) publisher_->Give(&kept_);
}

void RabbitMqSink::Settle(Publisher::Message message) {
  bytes_ -= message->bytes() + kMessageBytes;
  --records_;
  if (spare_.size() < kMostSpare && message->bytes() <= kSpareBytes)
    spare_.push_back(std::move(message));
}

absl::Status RabbitMqSink::Poll(AckHandler& acks) {
  alarm_.Drain();
  if (!broken_.ok()) return broken_;
  GiveOn();
  publisher_->Take(&news_);
  for (Publisher::Outcome& outcome : news_.outcomes) {
    if (!outcome.status.ok()) {
      refused_.push_back(std::move(outcome));
      continue;
    }
    acks.OnAcknowledged(outcome.message->record.ticket, 1);
    Settle(std::move(outcome.message));
  }
  news_.outcomes.clear();
  if (news_.waits.ok()) {
    wait_.End();
  } else if (news_.waits != wait_.why()) {
    wait_.Begin(news_.waits, absl::ZeroDuration());
  }
  broken_ = news_.broken;
  RETURN_IF_ERROR(broken_);
  return HandBack(acks);
}

absl::Status RabbitMqSink::HandBack(AckHandler& acks) {
  while (!refused_.empty()) {
    Publisher::Outcome& first = refused_.front();
    handing_back_ = true;
    const absl::Status taken = acks.OnRefused(first.message->record.AsRecord(&headers_),
                                              first.message->record.ticket, first.status);
    handing_back_ = false;
    if (absl::IsResourceExhausted(taken)) {
      alarm_.Set(20 * kSoon);
      return absl::OkStatus();
    }
    if (!taken.ok()) {
      broken_ = taken;
      return broken_;
    }
    Settle(std::move(first.message));
    refused_.erase(refused_.begin());
    publisher_->Resume();
  }
  return absl::OkStatus();
}

absl::Status RabbitMqSink::Flush(AckHandler& acks, absl::Duration timeout) {
  return wait_.Flush(
      *this, acks, [this] { return records_ == 0; },
      absl::StrCat("RabbitMQ at ", address_, " has not confirmed all"), timeout);
}

std::string RabbitMqSink::WaitingFor() {
  return wait_.For(absl::StrCat("RabbitMQ at ", address_, " to confirm"));
}

}  // namespace walduct::sink
