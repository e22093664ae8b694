#include "sink/aws/aws_sink.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "sink/last_answers.h"

namespace walduct::sink {
namespace {

// More in memory makes nothing faster: it is about what one request to Kinesis holds.
constexpr size_t kMostBytes = 4u << 20;
constexpr size_t kHandful = 64;
constexpr size_t kMostSpare = 512;
constexpr size_t kSpareBytes = 8u << 10;
// Whoever waits for ready_fd() polls then: others may follow meanwhile.
constexpr absl::Duration kSoon = absl::Milliseconds(1);

std::string WhereOf(const AwsSinkOptions& options) {
  return absl::StrCat(options.target->name(), " at ", EndpointOf(options.target->service()));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Sink>> AwsSink::Create(const AwsSinkOptions& options,
                                                      const Environment& environment) {
  std::unique_ptr<AwsSink> sink(new AwsSink(options, environment));
  ASSIGN_OR_RETURN(sink->sender_, AwsSender::Create(sink->options_, environment));
  sink->ready_.Add(sink->alarm_.fd());
  sink->ready_.Add(sink->sender_->fd());
  return std::unique_ptr<Sink>(std::move(sink));
}

AwsSink::AwsSink(const AwsSinkOptions& options, const Environment& environment)
    : options_(options),
      environment_(environment),
      most_bytes_(std::min(options.buffer_bytes, kMostBytes)),
      wait_(options.target->name(), environment, absl::Milliseconds(300), absl::Seconds(10)) {}

absl::Status AwsSink::Ask(const AwsSinkOptions& options, const Environment& environment,
                          absl::Span<const std::string> topics, Stopping stopping,
                          std::string* asked) {
  ASSIGN_OR_RETURN(const auto client, aws::Service::Create(options.target->service(), environment));
  client->EndAt(environment.clock->Monotonic() + kPrepareTimeout);
  bool stopped = false;
  client->StopWhen([&stopped, stopping] { return stopped = stopped || stopping(); });
  std::string found;
  const absl::Status answered = options.target->Ask(*client, topics, &found);
  if (stopped) return Interrupted();  // whatever was made of that
  RETURN_IF_ERROR(answered);
  *asked = absl::StrCat(WhereOf(options), found.empty() ? "" : ", ", found);
  return absl::OkStatus();
}

absl::Status AwsSink::PrepareTopics(absl::Span<const std::string> topics, Stopping stopping) {
  std::string asked;
  return Ask(options_, environment_, topics, stopping, &asked);
}

absl::Status AwsSink::Take(const event::Record& record, Ticket ticket, bool letter) {
  if (!broken_.ok()) return broken_;
  if (!handing_back_ && !HasCapacity()) {
    GiveOn();
    return absl::ResourceExhaustedError("the service is behind");
  }
  if (!record.value && !letter && !options_.tombstones) {
    if (!std::exchange(told_of_tombstones_, true))
      log::Info("tombstones are not sent", {{"topic", record.topic}});
    if (skipped_.empty()) alarm_.Set(kSoon);
    skipped_.Add(ticket);
    return absl::OkStatus();
  }
  AwsSender::Message message;
  if (spare_.empty()) {
    message = std::make_unique<AwsMessage>();
  } else {
    message = std::move(spare_.back());
    spare_.pop_back();
  }
  message->letter = letter;
  message->heartbeat = record.heartbeat;
  message->attempts = 0;
  message->order.clear();
  message->id.clear();
  message->text.reset();
  RETURN_IF_ERROR(options_.target->Address(record, message.get()));
  message->Keep(record, ticket);
  bytes_ += message->bytes();
  ++records_;
  if (kept_.empty()) alarm_.Set(kSoon);
  kept_.push_back(std::move(message));
  if (kept_.size() >= kHandful) GiveOn();
  return absl::OkStatus();
}

void AwsSink::GiveOn() {
  if (!kept_.empty()) sender_->Give(&kept_);
}

void AwsSink::Settle(AwsSender::Message message) {
  bytes_ -= message->bytes();
  --records_;
  message->refused = absl::OkStatus();
  if (spare_.size() < kMostSpare && message->bytes() <= kSpareBytes)
    spare_.push_back(std::move(message));
}

absl::Status AwsSink::Poll(AckHandler& acks) {
  alarm_.Drain();
  if (!broken_.ok()) return broken_;
  GiveOn();
  skipped_.AcknowledgeAll(acks);
  TakeNews(acks);
  if (news_.waits.ok()) {
    wait_.End();
  } else if (news_.waits != wait_.why()) {
    wait_.Begin(news_.waits, absl::ZeroDuration());
  }
  return HandBack(acks);
}

void AwsSink::TakeNews(AckHandler& acks) {
  sender_->Take(&news_);
  for (AwsSender::Message& message : news_.settled) {
    if (!message->refused.ok()) {
      refused_.push_back(std::move(message));
      continue;
    }
    acks.OnAcknowledged(message->ticket, 1);
    Settle(std::move(message));
  }
  news_.settled.clear();
}

absl::Status AwsSink::HandBack(AckHandler& acks) {
  while (!refused_.empty()) {
    const AwsMessage& first = *refused_.front();
    handing_back_ = true;
    const absl::Status taken =
        acks.OnRefused(first.AsRecord(&headers_), first.ticket, first.refused);
    handing_back_ = false;
    if (absl::IsResourceExhausted(taken)) {
      alarm_.Set(20 * kSoon);
      return absl::OkStatus();
    }
    if (!taken.ok()) {
      broken_ = taken;
      sender_->Halt();
      return broken_;
    }
    sender_->Resume(first);
    Settle(std::move(refused_.front()));
    refused_.erase(refused_.begin());
  }
  return absl::OkStatus();
}

absl::Status AwsSink::Flush(AckHandler& acks, absl::Duration timeout) {
  const absl::Duration deadline = environment_.clock->Monotonic() + timeout;
  if (broken_.ok()) {
    const absl::Status flushed = wait_.Flush(
        *this, acks, [this] { return records_ == 0; },
        absl::StrCat(WhereOf(options_), " has not answered"), timeout);
    if (broken_.ok()) return flushed;
  }
  return AwaitLastAnswers({.fd = sender_->fd(),
                           .quiet = [this] { return sender_->quiet(); },
                           .take = [this, &acks] { TakeNews(acks); },
                           .ended = broken_},
                          environment_, deadline - environment_.clock->Monotonic());
}

std::string AwsSink::WaitingFor() {
  return wait_.For(absl::StrCat(WhereOf(options_), " to answer"));
}

}  // namespace walduct::sink
