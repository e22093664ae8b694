#include "sink/rabbitmq/publisher.h"

#include <poll.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "kafka/send_permit.h"
#include "rabbitmq/error.h"

namespace walduct::sink {
namespace {

constexpr absl::Duration kFirstPause = absl::Milliseconds(20), kLongestPause = absl::Seconds(1);
constexpr absl::Duration kPermitLook = absl::Milliseconds(50);
// After a refusal so many go alone.
constexpr size_t kAlone = 256;
// Then it listens: RabbitMQ may say that it reads no more.
constexpr int kPublishesAtOnce = 64;

constexpr absl::string_view kRefuseUnroutable =
    "walduct.sink.rabbitmq.unroutable=refuse follows walduct.errors.refused instead of waiting";

absl::Status Unroutable(const RabbitMessage& message, absl::string_view text) {
  const std::string exchange = message.exchange.empty()
                                   ? "the default exchange"
                                   : absl::StrCat("exchange '", message.exchange, "'");
  return Error(
      absl::StatusCode::kUnavailable, "rabbitmq_unroutable",
      absl::StrCat("no queue takes what ", exchange, " gets with routing key '",
                   message.routing_key, "': ", text),
      message.exchange.empty()
          ? absl::StrCat("declare it: rabbitmqadmin declare queue name=", message.routing_key,
                         " durable=true, or sink.rabbitmq.autoCreateRoutingKey=true; ",
                         kRefuseUnroutable)
          : absl::StrCat("bind a queue: rabbitmqadmin declare binding source=", message.exchange,
                         " destination=QUEUE routing_key='", message.routing_key,
                         "', or sink.rabbitmq.autoCreateRoutingKey=true with "
                         "walduct.sink.rabbitmq.bind=true; ",
                         kRefuseUnroutable));
}

absl::Status Nacked(const RabbitMessage& message) {
  return Error(absl::StatusCode::kUnavailable, "rabbitmq_nack",
               absl::StrCat("RabbitMQ refuses a message to exchange '", message.exchange,
                            "' with routing key '", message.routing_key, "' (nack)"),
               "a queue is full (x-max-length with overflow=reject-publish): make room "
               "(rabbitmqctl list_queues name messages arguments shows it); "
               "walduct.sink.rabbitmq.nack=refuse follows walduct.errors.refused instead of "
               "waiting");
}

}  // namespace

std::shared_ptr<Publisher> Publisher::Start(const RabbitMqSinkOptions& options,
                                            const Environment& environment) {
  std::shared_ptr<Publisher> publisher(new Publisher(options, environment));
  std::thread([publisher] { publisher->Work(); }).detach();
  return publisher;
}

Publisher::Publisher(const RabbitMqSinkOptions& options, const Environment& environment)
    : options_(options),
      clock_(*environment.clock),
      refused_pause_(kFirstPause),
      backoff_(absl::Milliseconds(300), absl::Seconds(10),
               static_cast<uint64_t>(absl::ToUnixNanos(clock_.Now()))) {}

void Publisher::End() {
  stops_ = true;
  work_wake_.Signal();
}

void Publisher::Give(std::vector<Message>* messages) {
  {
    const MutexLock lock(mutex_);
    for (Message& message : *messages) given_.push_back(std::move(message));
  }
  messages->clear();
  work_wake_.Signal();
}

void Publisher::Resume() {
  {
    const MutexLock lock(mutex_);
    resumed_ = true;
  }
  work_wake_.Signal();
}

void Publisher::Take(News* news) {
  news_wake_.Drain();
  const MutexLock lock(mutex_);
  for (Outcome& outcome : news_.outcomes) news->outcomes.push_back(std::move(outcome));
  news_.outcomes.clear();
  news->waits = news_.waits;
  news->broken = news_.broken;
}

void Publisher::RenewPermit() { permit_ns_ = absl::ToInt64Nanoseconds(Now()); }

bool Publisher::MaySend() const {
  if (stops_) return false;
  const int64_t permit = permit_ns_;
  return permit == 0 || Now() - absl::Nanoseconds(permit) <= kafka::SendPermit::kLease;
}

absl::Status Publisher::Prepare(const RabbitMqSinkOptions& options,
                                const std::vector<std::string>& topics) {
  constexpr size_t kMostExchanges = 64;
  ASSIGN_OR_RETURN(const auto connection, rabbitmq::Connection::Open(options.server));
  std::set<std::string> exchanges;
  if (!options.default_exchange && !options.exchange.empty()) exchanges.insert(options.exchange);
  if (!options.default_exchange && options.exchange.empty()) {
    for (const std::string& topic : topics) {
      if (exchanges.size() < kMostExchanges) exchanges.insert(topic);
    }
  }
  for (const std::string& exchange : exchanges)
    RETURN_IF_ERROR(rabbitmq::AtStart(connection->CheckExchange(exchange)));
  if (!options.letters.empty())
    RETURN_IF_ERROR(rabbitmq::AtStart(connection->DeclareQueue({.name = options.letters})));
  if (options.makes_queues && options.routing == RabbitMqSinkOptions::Routing::kStatic)
    RETURN_IF_ERROR(rabbitmq::AtStart(connection->DeclareQueue({.name = options.routing_key,
                                                                .durable = options.durable_queues,
                                                                .type = options.queue_type})));
  return absl::OkStatus();
}

void Publisher::Work() {
  while (!stops_) {
    work_wake_.Drain();
    const bool resumed = TakeGiven();
    if (resumed) asks_ = false;
    const absl::Status done = Turn();
    if (!done.ok()) Lose(done);
    PublishNews();
    Sleep();
  }
  connection_.reset();
}

bool Publisher::TakeGiven() {
  const MutexLock lock(mutex_);
  for (Message& message : given_) entries_.push_back({.message = std::move(message)});
  given_.clear();
  return std::exchange(resumed_, false);
}

// All that can be done now.
absl::Status Publisher::Turn() {
  {
    const MutexLock lock(mutex_);
    if (!news_.broken.ok()) return absl::OkStatus();
  }
  if (connection_ == nullptr) {
    if ((entries_.empty() && why_.ok()) || Now() < until_) return absl::OkStatus();
    ASSIGN_OR_RETURN(connection_, rabbitmq::Connection::Open(options_.server));
    heard_ = Now();
  }
  RETURN_IF_ERROR(Listen());
  if (on_way_ == 0 && any_refused_) OnAllAnswered();
  if (entries_.empty() && !why_.ok() && blocked_.empty()) Taken();  // it answers again
  if (asks_ || !blocked_.empty() || Now() < until_) return absl::OkStatus();
  RETURN_IF_ERROR(Send());
  return CheckConfirms();
}

absl::Status Publisher::Listen() {
  while (true) {
    ASSIGN_OR_RETURN(const rabbitmq::Event event, connection_->Next());
    if (event.kind == rabbitmq::Event::Kind::kNothing) return absl::OkStatus();
    heard_ = Now();
    RETURN_IF_ERROR(OnEvent(event));
  }
}

absl::Status Publisher::OnEvent(const rabbitmq::Event& event) {
  using Kind = rabbitmq::Event::Kind;
  switch (event.kind) {
    case Kind::kConfirmed:
    case Kind::kRefused:
      OnAnswer(event.tag, event.multiple, event.kind == Kind::kConfirmed);
      return absl::OkStatus();
    case Kind::kReturned:
      return OnReturned(event);
    case Kind::kBlocked:
      blocked_ = event.text.empty() ? "an alarm" : event.text;
      Wait(
          Error(
              absl::StatusCode::kUnavailable, "rabbitmq_blocked",
              absl::StrCat("RabbitMQ at ", connection_->address(),
                           " takes nothing from publishers: ", blocked_),
              "rabbitmq-diagnostics alarms says which; give it memory or disk, as with rabbitmqctl "
              "set_vm_memory_high_watermark 0.6, or let consumers empty the queues; it goes on "
              "by itself"),
          absl::ZeroDuration());
      return absl::OkStatus();
    case Kind::kUnblocked:
      blocked_.clear();
      Taken();
      return absl::OkStatus();
    case Kind::kNothing:
      break;
  }
  return absl::OkStatus();
}

// Comes before the confirm of the same message, and does not say which of those that are alike it
// is: headers can route one and not the other. All of them are sent again, alone.
absl::Status Publisher::OnReturned(const rabbitmq::Event& event) {
  int alike = 0;
  for (const Sent& sent : sent_) {
    if (sent.answered) continue;
    Entry& entry = at(sent.number);
    if (entry.message->exchange != event.exchange ||
        entry.message->routing_key != event.routing_key ||
        entry.message->body(options_) != event.body)
      continue;
    ++alike;
    if (entry.refused.ok()) entry.refused = Unroutable(*entry.message, event.text);
  }
  if (alike > 1) unsure_ = true;
  if (alike > 0) return absl::OkStatus();
  return rabbitmq::Unreachable(connection_->address(), "it returned what was not sent");
}

void Publisher::OnAnswer(uint64_t tag, bool multiple, bool taken) {
  if (tag < first_tag_ || tag - first_tag_ >= sent_.size()) return;
  const size_t last = tag - first_tag_;
  for (size_t i = multiple ? 0 : last; i <= last; ++i) {
    if (!sent_[i].answered) Answer(&sent_[i], taken);
  }
  while (!sent_.empty() && sent_.front().answered) {
    sent_.pop_front();
    ++first_tag_;
  }
  Settle();
}

// What is confirmed up to the first that is not.
void Publisher::Settle() {
  while (!entries_.empty() && entries_.front().taken) {
    made_.push_back({std::move(entries_.front().message), absl::OkStatus()});
    entries_.pop_front();
    ++first_;
  }
  next_ = std::max(next_, first_);
}

void Publisher::Answer(Sent* sent, bool taken) {
  sent->answered = true;
  --on_way_;
  Entry& entry = at(sent->number);
  entry.on_way = false;
  if (!taken && entry.refused.ok()) entry.refused = Nacked(*entry.message);
  if (!entry.refused.ok()) {
    any_refused_ = true;
    return;
  }
  entry.taken = true;
  refused_pause_ = kFirstPause;
  if (one_by_one_ > 0) --one_by_one_;
  // A queue that is full takes one whenever somebody reads one: that is no end of the wait.
  if (blocked_.empty() && one_by_one_ == 0) Taken();
}

// After a refusal: from the first that was refused on.
void Publisher::OnAllAnswered() {
  any_refused_ = false;
  next_ = first_;
  one_by_one_ = kAlone;
  absl::Status why;
  for (Entry& entry : entries_) {
    if (why.ok()) why = entry.refused;
    entry.refused = absl::OkStatus();
  }
  const bool unroutable = ErrorReason(why) == "rabbitmq_unroutable";
  declared_.clear();
  if (std::exchange(unsure_, false)) return KeepOrder();
  const bool hands_back = unroutable ? options_.hands_back_unroutable : options_.hands_back_refused;
  if (!hands_back || entries_.front().message->letter) {
    Wait(why, refused_pause_);
    refused_pause_ = std::min(2 * refused_pause_, kLongestPause);
  } else {
    HandBack(Error(absl::StatusCode::kInvalidArgument,
                   unroutable ? "rabbitmq_unroutable" : "record_refused", why.message(),
                   ErrorHint(why)));
  }
  KeepOrder();
}

// What is confirmed, and stands behind a message of the same key that is not, is sent again, too.
void Publisher::KeepOrder() {
  std::set<std::pair<absl::string_view, absl::string_view>> open;
  for (Entry& entry : entries_) {
    const event::Record record = entry.message->record.AsRecord(&headers_);
    if (!record.key) continue;
    const std::pair key(record.topic, *record.key);
    if (!entry.taken) {
      open.insert(key);
    } else if (open.contains(key)) {
      entry.taken = false;
    }
  }
}

// The first one. Nothing is on its way.
void Publisher::HandBack(const absl::Status& why) {
  made_.push_back({std::move(entries_.front().message), why});
  entries_.pop_front();
  next_ = ++first_;
  asks_ = true;
  Settle();
}

// RabbitMQ closes the channel and says how large the body was.
void Publisher::FindTooLarge(const absl::Status& why) {
  constexpr absl::string_view kBefore = "message size ", kBehind = " is larger than configured";
  const absl::string_view text = why.message();
  const size_t from = text.find(kBefore), to = text.find(kBehind);
  size_t size = 0;
  if (from == absl::string_view::npos || to == absl::string_view::npos ||
      !absl::SimpleAtoi(text.substr(from + kBefore.size(), to - from - kBefore.size()), &size))
    return;
  for (Entry& entry : entries_) {
    if (!entry.on_way || entry.message->body(options_).size() != size) continue;
    entry.too_large = Error(absl::StatusCode::kInvalidArgument, "record_too_large",
                            absl::StrCat("a record of ", size, " bytes; ", text),
                            "raise max_message_size in RabbitMQ's configuration (512 MiB at most)");
    return;
  }
}

size_t Publisher::most() const { return one_by_one_ > 0 || !why_.ok() ? 1 : options_.most_on_way; }

absl::Status Publisher::Send() {
  int published = 0;
  awaits_room_ = looks_again_ = false;
  while (!any_refused_ && blocked_.empty() && on_way_ < most() && MaySend()) {
    while (next_ < end() && (at(next_).on_way || at(next_).taken)) ++next_;
    if (next_ == end()) return absl::OkStatus();
    Entry& entry = at(next_);
    if (!entry.too_large.ok()) {
      if (on_way_ == 0) HandBack(entry.too_large);
      return absl::OkStatus();
    }
    if (!connection_->HasRoom()) {
      awaits_room_ = true;
      return absl::OkStatus();
    }
    RETURN_IF_ERROR(PublishOne(&entry));
    if (++published % kPublishesAtOnce != 0) continue;
    RETURN_IF_ERROR(Listen());
    PublishNews();
    if (stops_) return absl::OkStatus();
    TakeGiven();
  }
  return absl::OkStatus();
}

absl::Status Publisher::PublishOne(Entry* entry) {
  const RabbitMessage& message = *entry->message;
  const bool makes = message.letter || options_.makes_queues;
  if (makes && !message.routing_key.empty() &&
      !declared_.contains(absl::StrCat(message.exchange, "\n", message.routing_key))) {
    rabbitmq::QueueSpec queue{.name = message.routing_key};
    if (!message.letter) {
      queue.durable = options_.durable_queues;
      queue.type = options_.queue_type;
    }
    RETURN_IF_ERROR(connection_->DeclareQueue(queue));
    if (!message.exchange.empty() && options_.binds)
      RETURN_IF_ERROR(connection_->Bind(queue.name, message.exchange, message.routing_key));
    declared_.insert(absl::StrCat(message.exchange, "\n", message.routing_key));
    looks_again_ = true;  // librabbitmq keeps what came before the answer
  }
  RETURN_IF_ERROR(connection_->Publish(message.exchange, message.routing_key, message.mandatory,
                                       message.Properties(options_, &headers_, &table_),
                                       message.body(options_)));
  if (on_way_++ == 0) heard_ = Now();
  entry->on_way = true;
  sent_.push_back({next_});
  return absl::OkStatus();
}

absl::Status Publisher::CheckConfirms() const {
  if (on_way_ == 0 || !blocked_.empty() || Now() - heard_ < options_.confirm_timeout)
    return absl::OkStatus();
  return rabbitmq::Unreachable(
      connection_->address(),
      absl::StrCat("no confirm within ", absl::FormatDuration(options_.confirm_timeout),
                   " (sink.rabbitmq.ackTimeout)"));
}

// The connection, and what was on its way with it.
void Publisher::Lose(const absl::Status& why) {
  FindTooLarge(why);
  const bool found = std::any_of(entries_.begin(), entries_.end(),
                                 [](const Entry& entry) { return !entry.too_large.ok(); });
  connection_.reset();
  for (Entry& entry : entries_) {
    entry.on_way = false;
    entry.refused = absl::OkStatus();
  }
  sent_.clear();
  first_tag_ = 1;
  on_way_ = 0;
  next_ = first_;
  any_refused_ = unsure_ = awaits_room_ = looks_again_ = false;
  KeepOrder();
  declared_.clear();
  blocked_.clear();
  const bool idle = entries_.empty() && why_.ok();
  if (found) return;
  if (absl::IsUnavailable(why)) {
    // One that ends an idle connection is no trouble: the next record makes another.
    if (!idle) Wait(why, backoff_.Next());
    return;
  }
  const MutexLock lock(mutex_);
  news_.broken = why;
}

void Publisher::Wait(const absl::Status& why, absl::Duration pause) {
  why_ = why;
  until_ = Now() + pause;
}

void Publisher::Taken() {
  why_ = absl::OkStatus();
  until_ = absl::ZeroDuration();
  backoff_.Reset();
}

void Publisher::PublishNews() {
  bool changed = !made_.empty();
  {
    const MutexLock lock(mutex_);
    for (Outcome& outcome : made_) news_.outcomes.push_back(std::move(outcome));
    changed |= news_.waits != why_ || !news_.broken.ok();
    news_.waits = why_;
  }
  made_.clear();
  if (changed) news_wake_.Signal();
}

void Publisher::Sleep() {
  const short events = awaits_room_ ? POLLIN | POLLOUT : POLLIN;
  pollfd wanted[] = {
      {.fd = work_wake_.fd(), .events = POLLIN, .revents = 0},
      {.fd = connection_ == nullptr ? -1 : connection_->fd(), .events = events, .revents = 0}};
  absl::Duration most = absl::Seconds(options_.server.heartbeat_seconds > 0 ? 1 : 5);
  const bool has_work = next_ < end() && on_way_ < this->most();
  if (has_work && !MaySend()) most = kPermitLook;
  if (until_ > Now()) most = std::min(most, until_ - Now() + absl::Milliseconds(1));
  if (looks_again_) most = absl::ZeroDuration();
  poll(wanted, 2, static_cast<int>(absl::ToInt64Milliseconds(most)));
}

}  // namespace walduct::sink
