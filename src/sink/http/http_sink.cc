#include "sink/http/http_sink.h"

#include <algorithm>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "sink/last_answers.h"

namespace walduct::sink {
namespace {

// More in memory makes nothing faster.
constexpr size_t kMostBytes = 4u << 20;
// So many are handed over at once while the sender is busy.
constexpr size_t kHandful = 32;
constexpr size_t kMostSpare = 256;

std::string Process() {
  std::random_device random;
  return absl::StrCat(absl::Hex((uint64_t{random()} << 32) | random(), absl::kZeroPad16));
}

}  // namespace

absl::StatusOr<std::unique_ptr<Sink>> HttpSink::Create(const HttpSinkOptions& options,
                                                       const Environment& environment) {
  std::unique_ptr<HttpSink> sink(new HttpSink(options, environment));
  ASSIGN_OR_RETURN(sink->sender_, HttpSender::Create(sink->options_, environment));
  return std::unique_ptr<Sink>(std::move(sink));
}

HttpSink::HttpSink(const HttpSinkOptions& options, const Environment& environment)
    : options_(options),
      environment_(environment),
      writer_(options_, Process()),
      most_bytes_(std::min(options.buffer_bytes, kMostBytes)) {}

absl::Status HttpSink::PrepareTopics(absl::Span<const std::string> topics, Stopping stopping) {
  static_cast<void>(topics);
  return sender_->TryConnecting(kPrepareTimeout, stopping);
}

std::unique_ptr<Outgoing> HttpSink::Spare() {
  if (spare_.empty()) return std::make_unique<Outgoing>();
  std::unique_ptr<Outgoing> record = std::move(spare_.back());
  spare_.pop_back();
  return record;
}

absl::Status HttpSink::Write(const event::Record& record, Ticket ticket) {
  if (!broken_.ok()) return broken_;
  if (record.value) return WriteValue(record, ticket);
  if (options_.tombstones) return WriteLetter(record, ticket);
  if (!std::exchange(told_of_tombstones_, true))
    log::Info("tombstones are not sent, as Debezium Server has it",
              {{"topic", record.topic}, {"instead", "walduct.sink.http.tombstones=send"}});
  settled_.Add(ticket);
  return absl::OkStatus();
}

absl::Status HttpSink::WriteLetter(const event::Record& letter, Ticket ticket) {
  if (!broken_.ok()) return broken_;
  event::Record sent = letter;
  sent.value = letter.value.value_or("null");
  return WriteValue(sent, ticket);
}

absl::Status HttpSink::WriteValue(const event::Record& record, Ticket ticket) {
  if (!handing_back_ && !HasCapacity()) {
    GiveOn();
    return absl::ResourceExhaustedError("the receiver is behind");
  }
  std::unique_ptr<Outgoing> outgoing = Spare();
  RETURN_IF_ERROR(writer_.Write(record, ticket, outgoing.get()));
  bytes_ += outgoing->bytes();
  ++records_;
  kept_.push_back(std::move(outgoing));
  // A batch takes what a turn brings.
  const size_t handful = options_.batch ? std::max(kHandful, options_.batch_most) : kHandful;
  if (kept_.size() >= handful || (!options_.batch && sender_->idle())) GiveOn();
  return absl::OkStatus();
}

void HttpSink::GiveOn() {
  if (!kept_.empty()) sender_->Give(&kept_);
}

void HttpSink::Settle(std::unique_ptr<Outgoing> record) {
  bytes_ -= record->bytes();
  --records_;
  if (spare_.size() < kMostSpare && record->bytes() < (64u << 10))
    spare_.push_back(std::move(record));
}

absl::Status HttpSink::Poll(AckHandler& acks) {
  if (!broken_.ok()) return broken_;
  GiveOn();
  settled_.AcknowledgeAll(acks);
  TakeOutcomes(acks);
  return HandBack(acks);
}

void HttpSink::TakeOutcomes(AckHandler& acks) {
  sender_->Take(&outcomes_);
  for (HttpSender::Outcome& outcome : outcomes_) {
    if (!outcome.status.ok()) {
      refused_.push_back(std::move(outcome));
      continue;
    }
    acks.OnAcknowledged(outcome.record->ticket, 1);
    Settle(std::move(outcome.record));
  }
  outcomes_.clear();
}

absl::Status HttpSink::HandBack(AckHandler& acks) {
  while (!refused_.empty()) {
    HttpSender::Outcome& first = refused_.front();
    handing_back_ = true;
    const absl::Status taken =
        acks.OnRefused(first.record->AsRecord(&headers_), first.record->ticket, first.status);
    handing_back_ = false;
    if (absl::IsResourceExhausted(taken)) return absl::OkStatus();
    if (!taken.ok()) {
      broken_ = taken;
      sender_->Halt();
      return broken_;
    }
    sender_->Resume(first.record->lane);
    Settle(std::move(first.record));
    refused_.erase(refused_.begin());
  }
  GiveOn();  // letters
  return absl::OkStatus();
}

absl::Status HttpSink::Flush(AckHandler& acks, absl::Duration timeout) {
  const absl::Duration deadline = environment_.clock->Monotonic() + timeout;
  constexpr absl::Duration kAskAgain = absl::Milliseconds(20);
  while (true) {
    Poll(acks).IgnoreError();  // broken_ has it
    const absl::Duration left = deadline - environment_.clock->Monotonic();
    if (!broken_.ok())
      return AwaitLastAnswers({.fd = sender_->fd(),
                               .quiet = [this] { return sender_->quiet(); },
                               .take = [this, &acks] { TakeOutcomes(acks); },
                               .ended = broken_},
                              environment_, left);
    if (records_ == 0) return absl::OkStatus();
    if (left <= absl::ZeroDuration()) {
      const absl::Status waits = sender_->waits();
      return Error(absl::StatusCode::kDeadlineExceeded, "flush_timeout",
                   absl::StrCat(waits.ok() ? absl::StrCat(sender_->where(), " has not answered")
                                           : std::string(waits.message())),
                   ErrorHint(waits));
    }
    environment_.poller->WaitReadable({sender_->fd()},
                                      refused_.empty() ? left : std::min(left, kAskAgain));
  }
}

std::string HttpSink::WaitingFor() {
  const absl::Status waits = sender_->waits();
  return waits.ok() ? absl::StrCat(sender_->where(), " to answer") : std::string(waits.message());
}

std::string HttpSink::WaitingHint() const {
  const absl::Status waits = sender_->waits();
  return waits.ok() ? "it goes on by itself once the receiver answers" : ErrorHint(waits);
}

}  // namespace walduct::sink
