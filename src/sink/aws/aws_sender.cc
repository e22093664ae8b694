#include "sink/aws/aws_sender.h"

#include <algorithm>
#include <iterator>
#include <optional>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "kafka/send_permit.h"

namespace walduct::sink {
namespace {

using Code = absl::StatusCode;

constexpr absl::Duration kFirstPause = absl::Milliseconds(100), kLongestPause = absl::Seconds(10);
constexpr absl::Duration kPermitLook = absl::Milliseconds(50);

bool IsRefusal(const absl::Status& status) {
  return absl::IsInvalidArgument(status) || absl::IsNotFound(status);
}

// As delivery knows it.
absl::Status RefusalOf(const absl::Status& why, size_t size, const AwsTarget::Limits& limits) {
  if (absl::IsNotFound(why))
    return Error(Code::kInvalidArgument, "topic_missing", why.message(), ErrorHint(why));
  if (ErrorReason(why) != "record_refused" || size <= limits.record_bytes) return why;
  return Error(Code::kInvalidArgument, "record_too_large",
               absl::StrCat("a record of ", size, " bytes: ", why.message()),
               "let a transform make it smaller, or raise the limit where AWS lets you");
}

}  // namespace

absl::StatusOr<std::unique_ptr<AwsSender>> AwsSender::Create(const AwsSinkOptions& options,
                                                             const Environment& environment) {
  ASSIGN_OR_RETURN(auto service, aws::Service::Create(options.target->service(), environment));
  std::unique_ptr<AwsSender> sender(new AwsSender(options, environment, std::move(service)));
  sender->worker_.Start([made = sender.get()] { made->Work(); });
  return sender;
}

AwsSender::AwsSender(const AwsSinkOptions& options, const Environment& environment,
                     std::unique_ptr<aws::Service> service)
    : options_(options),
      environment_(environment),
      service_(std::move(service)),
      backoff_(kFirstPause, kLongestPause,
               static_cast<uint64_t>(absl::ToUnixNanos(environment.clock->Now()))),
      worker_(mutex_) {}

AwsSender::~AwsSender() {
  service_->Interrupt();
  worker_.Stop();
}

void AwsSender::Give(std::vector<Message>* messages) {
  {
    const MutexLock lock(mutex_);
    for (Message& message : *messages) given_.push_back(std::move(message));
    asked_ = true;
  }
  messages->clear();
  worker_.Notify();
}

void AwsSender::Resume(const AwsMessage& refused) {
  {
    const MutexLock lock(mutex_);
    resumed_.emplace_back(refused.destination, refused.order);
    asked_ = true;
  }
  worker_.Notify();
}

void AwsSender::Halt() {
  {
    const MutexLock lock(mutex_);
    halts_ = asked_ = true;
  }
  worker_.Notify();
}

void AwsSender::Take(News* news) {
  wake_.Drain();
  const MutexLock lock(mutex_);
  for (Message& message : news_.settled) news->settled.push_back(std::move(message));
  news_.settled.clear();
  news->waits = news_.waits;
}

void AwsSender::RenewPermit() {
  permit_ns_ = absl::ToInt64Nanoseconds(environment_.clock->Monotonic());
}

bool AwsSender::MaySend() const {
  if (halts_) return false;
  const int64_t permit = permit_ns_;
  return permit == 0 ||
         environment_.clock->Monotonic() - absl::Nanoseconds(permit) <= kafka::SendPermit::kLease;
}

void AwsSender::Work() {
  while (!worker_.stopping() && !halts_) {
    TakeGiven();
    absl::Duration left = until_ - environment_.clock->Monotonic();
    if (!waiting_.empty() && !MaySend()) left = std::max(left, kPermitLook);
    if (left > absl::ZeroDuration()) {
      MutexLock lock(mutex_);
      worker_.AwaitFor(lock, left, [this] { return halts_.load(); });
      continue;
    }
    Gather();
    if (batch_.empty()) {
      Sleep();
      continue;
    }
    Send();
    Publish();
  }
  quiet_ = true;
  wake_.Signal();
}

void AwsSender::TakeGiven() {
  const MutexLock lock(mutex_);
  for (Message& message : given_) waiting_.push_back(std::move(message));
  given_.clear();
  for (const Order& order : resumed_) held_.erase(order);
  resumed_.clear();
  asked_ = false;
}

void AwsSender::Sleep() {
  MutexLock lock(mutex_);
  worker_.Await(lock, [this] { return asked_.load() || halts_.load(); });
}

// Up to the first one that may not go with those before it.
void AwsSender::Gather() {
  const AwsTarget::Limits limits = options_.target->limits();
  const size_t most = singly_ > 0 ? 1 : limits.records;
  std::set<absl::string_view> orders;
  size_t bytes = 0, seen = 0;
  for (; seen < waiting_.size() && batch_.size() < most; ++seen) {
    Message& next = waiting_[seen];
    if (!batch_.empty() && next->destination != batch_.front()->destination) continue;
    if (held_.contains({next->destination, next->order})) continue;
    const size_t size = options_.target->Size(*next);
    if (!batch_.empty() && bytes + size > limits.bytes) break;
    if (!next->order.empty() && orders.contains(next->order)) break;
    bytes += size;
    batch_.push_back(std::move(next));
    if (!batch_.back()->order.empty()) orders.insert(batch_.back()->order);
  }
  const auto end = waiting_.begin() + static_cast<std::ptrdiff_t>(seen);
  waiting_.erase(std::remove(waiting_.begin(), end, nullptr), end);
}

void AwsSender::Send() {
  std::vector<const AwsMessage*> messages;
  for (const Message& message : batch_) messages.push_back(message.get());
  // Credentials may have been waited for meanwhile.
  absl::StatusOr<std::string> answer =
      service_->Call(options_.target->Write(messages), [this] { return MaySend(); });
  if (absl::IsCancelled(answer.status())) return;
  if (absl::IsAborted(answer.status())) {
    again_ = std::move(batch_);
  } else {
    Judge(std::move(answer));
  }
  batch_.clear();
  waiting_.insert(waiting_.begin(), std::make_move_iterator(again_.begin()),
                  std::make_move_iterator(again_.end()));
  again_.clear();
}

void AwsSender::Judge(absl::StatusOr<std::string> answer) {
  absl::StatusOr<std::vector<absl::Status>> results =
      answer.ok() ? options_.target->Read(*answer, batch_.size()) : answer.status();
  if (results.ok()) {
    OnAnswer(*results);
  } else {
    OnError(results.status());
  }
}

void AwsSender::OnAnswer(const std::vector<absl::Status>& results) {
  absl::Status passing;
  bool taken = false;
  for (size_t i = 0; i < results.size(); ++i) {
    const absl::Status& result = results[i];
    if (result.ok()) {
      taken = true;
      made_.push_back(std::move(batch_[i]));
    } else if (absl::IsNotFound(result) && batch_[i]->heartbeat) {
      if (!std::exchange(told_of_heartbeats_, true))
        log::Info("heartbeats have no destination, and are left out",
                  {{"error", result.message()}});
      made_.push_back(std::move(batch_[i]));
    } else if (IsRefusal(result)) {
      Refuse(std::move(batch_[i]), result);
    } else {
      passing = result;
      OnPassing(std::move(batch_[i]), result);
    }
  }
  if (singly_ > 0) --singly_;
  waits_ = passing;
  if (taken || passing.ok()) backoff_.Reset();
  if (!passing.ok()) until_ = environment_.clock->Monotonic() + backoff_.Next();
}

// Of all of a request.
void AwsSender::OnError(const absl::Status& error) {
  if (absl::IsInvalidArgument(error) && batch_.size() > 1) {
    singly_ = batch_.size();  // which of them it means is found out so
    again_ = std::move(batch_);
    return;
  }
  OnAnswer(std::vector<absl::Status>(batch_.size(), error));
}

void AwsSender::OnPassing(Message message, const absl::Status& why) {
  ++message->attempts;
  if (!options_.attempts || message->attempts < *options_.attempts) {
    again_.push_back(std::move(message));
    return;
  }
  const absl::Status used_up =
      Error(Code::kInvalidArgument, "attempts_used_up",
            absl::StrCat(why.message(), ", in ", message->attempts, " attempts"),
            absl::StrCat(ErrorHint(why),
                         "; without default.retries it is waited for, and "
                         "walduct.errors.exhausted says what becomes of the record"));
  Refuse(std::move(message), used_up);
}

void AwsSender::Refuse(Message message, const absl::Status& why) {
  const AwsTarget& target = *options_.target;
  message->refused = RefusalOf(why, target.Size(*message), target.limits());
  if (!message->order.empty()) held_.emplace(message->destination, message->order);
  made_.push_back(std::move(message));
}

void AwsSender::Publish() {
  bool changed = !made_.empty();
  {
    const MutexLock lock(mutex_);
    for (Message& message : made_) news_.settled.push_back(std::move(message));
    changed |= news_.waits != waits_;
    news_.waits = waits_;
  }
  made_.clear();
  if (changed) wake_.Signal();
}

}  // namespace walduct::sink
