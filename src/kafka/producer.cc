#include "kafka/producer.h"

#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <array>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "kafka/durability.h"
#include "kafka/error.h"
#include "names/topic_name.h"

namespace walduct::kafka {
namespace {

// What librdkafka spends on a record beyond its bytes: its message, the delivery report's share,
// the allocator.
constexpr size_t kMessageOverhead = 320;
constexpr size_t kHeadersOverhead = 160;
#ifdef RD_KAFKA_HEADERS_MAKE
constexpr size_t kHeaderOverhead = 8;
#else
constexpr size_t kHeaderOverhead = 80;
#endif

// The opaque of a message carries its token and what it costs, so that its delivery report needs no
// look-up.
constexpr int kCostBits = 24;
constexpr size_t kCostUnit = 64;
constexpr uint64_t kMaxCost = (uint64_t{1} << kCostBits) - 1;
constexpr uint64_t kMaxToken = (uint64_t{1} << (64 - kCostBits)) - 1;
constexpr uint64_t kAlone = kMaxToken;

void* Pack(uint64_t token, uint64_t cost) {
  CHECK(token <= kMaxToken);
  return reinterpret_cast<void*>(token << kCostBits | cost);  // NOLINT(performance-no-int-to-ptr)
}
uint64_t TokenOf(const void* opaque) { return reinterpret_cast<uint64_t>(opaque) >> kCostBits; }
uint64_t CostOf(const void* opaque) { return reinterpret_cast<uint64_t>(opaque) & kMaxCost; }

uint64_t CostOf(const Message& message) {
  size_t bytes = kMessageOverhead;
  if (message.key) bytes += message.key->size();
  if (message.value) bytes += message.value->size();
  if (message.headers != nullptr) bytes += message.headers->memory_bytes();
  return std::min<uint64_t>((bytes + kCostUnit - 1) / kCostUnit, kMaxCost);
}

// librdkafka tells null from empty by the pointer.
const char* AddressOf(absl::string_view bytes) {
  return bytes.data() == nullptr ? "" : bytes.data();
}

rd_kafka_vu_t Bytes(rd_kafka_vtype_t type, const std::optional<absl::string_view>& bytes) {
  rd_kafka_vu_t field{};
  field.vtype = type;
  if (bytes) {
    field.u.mem.ptr = const_cast<char*>(AddressOf(*bytes));
    field.u.mem.size = bytes->size();
  }
  return field;
}

#ifdef RD_KAFKA_HEADERS_MAKE
rd_kafka_headers_t* MakeHeaders(absl::Span<const HeaderText> headers) {
  absl::InlinedVector<rd_kafka_header_text_t, 8> texts;
  for (const auto& [name, value] : headers) {
    const absl::string_view bytes = value.value_or("");
    texts.push_back({name.data(), name.size(), value ? AddressOf(bytes) : nullptr, bytes.size()});
  }
  return rd_kafka_headers_make(texts.data(), texts.size());
}
#else
rd_kafka_headers_t* MakeHeaders(absl::Span<const HeaderText> headers) {
  rd_kafka_headers_t* const made = rd_kafka_headers_new(headers.size());
  for (const auto& [name, value] : headers) {
    const absl::string_view bytes = value.value_or("");
    rd_kafka_header_add(made, name.data(), static_cast<ssize_t>(name.size()),
                        value ? AddressOf(bytes) : nullptr, static_cast<ssize_t>(bytes.size()));
  }
  return made;
}
#endif

}  // namespace

absl::Status CheckTopicName(absl::string_view name) {
  if (names::IsTopicName(name)) return absl::OkStatus();
  return KafkaError(RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION, absl::StrCat("topic ", name));
}

Topic::Topic(Topic&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}

Topic::~Topic() {
  if (handle_ == nullptr) return;
  rd_kafka_topic_destroy(handle_);
}

void Headers::Set(absl::Span<const HeaderText> headers) {
  if (handle_ != nullptr) rd_kafka_headers_destroy(handle_);
  handle_ = headers.empty() ? nullptr : MakeHeaders(headers);
  memory_bytes_ = headers.empty() ? 0 : kHeadersOverhead;
  for (const HeaderText& header : headers)
    memory_bytes_ += kHeaderOverhead + header.name.size() + header.value.value_or("").size();
  shared_ = false;
}

rd_kafka_headers_s* Headers::Share() {
  if (handle_ == nullptr) return nullptr;
#ifdef RD_KAFKA_HEADERS_MAKE
  shared_ = true;
  return rd_kafka_headers_share(handle_);
#else
  return rd_kafka_headers_copy(handle_);
#endif
}

// Consecutive deliveries under one token, not handed over yet.
struct Producer::Run {
  DeliveryHandler* handler;
  uint64_t token = 0;
  uint32_t count = 0;

  void Add(uint64_t next) {
    if (next != token) HandOver();
    token = next;
    ++count;
  }
  void HandOver() {
    if (count > 0 && handler != nullptr) handler->OnDelivered(token, count);
    count = 0;
  }
};

absl::StatusOr<std::unique_ptr<Producer>> Producer::Create(const Options& options) {
  ASSIGN_OR_RETURN(const Properties properties, ProducerProperties(options.java, options.rules));
  RETURN_IF_ERROR(CheckDurable(properties, options.rules.transactional_id));
  auto permit = std::make_unique<SendPermit>(options.environment);
  ASSIGN_OR_RETURN(Client client, Client::Create(Client::Role::kProducer, options.bootstrap_servers,
                                                 properties, permit.get()));
  return std::unique_ptr<Producer>(new Producer(std::move(permit), std::move(client), options));
}

Producer::Producer(std::unique_ptr<SendPermit> permit, Client client, const Options& options)
    : permit_(std::move(permit)),
      acked_(OfNewProducer(options.acked)),
      client_(std::move(client)),
      java_(options.java),
      events_(rd_kafka_queue_get_main(client_.handle())),
      clock_(*options.environment.clock),
      secrets_changed_(options.secrets_changed),
      buffer_bytes_(options.rules.buffer_bytes),
      transactional_(!options.rules.transactional_id.empty()) {
  SignalWhenFilled(events_, wakeup_);
}

// What has not been acknowledged is read from PostgreSQL again: nothing is sent on the way out.
Producer::~Producer() {
  permit_->Withdraw();
  rd_kafka_queue_io_event_enable(events_, -1, nullptr, 0);
  rd_kafka_queue_destroy(events_);
}

bool Producer::lets_create() const {
  char text[16] = "";
  size_t size = sizeof(text);
  return rd_kafka_conf_get(rd_kafka_conf(client_.handle()), "allow.auto.create.topics", text,
                           &size) == RD_KAFKA_CONF_OK &&
         absl::string_view(text) == "true";
}

Client* Producer::ClientForQuestions() {
  if (for_questions_) return &*for_questions_;
  const auto properties = ProducerProperties(java_, {.auto_create_topics = false});
  if (!properties.ok()) return &client_;
  auto made = Client::Create(Client::Role::kProducer, client_.bootstrap_servers(), *properties);
  if (!made.ok()) return &client_;
  return &for_questions_.emplace(*std::move(made));
}

absl::StatusOr<Topic> Producer::OpenTopic(const std::string& name) {
  RETURN_IF_ERROR(CheckTopicName(name));
  rd_kafka_topic_conf_t* conf = rd_kafka_default_topic_conf_dup(client_.handle());
  rd_kafka_topic_conf_set_opaque(conf, &(*acked_)[name]);
  // takes conf
  rd_kafka_topic_t* handle = rd_kafka_topic_new(client_.handle(), name.c_str(), conf);
  if (handle == nullptr) return KafkaError(rd_kafka_last_error(), absl::StrCat("topic ", name));
  return Topic(handle);
}

bool Producer::HasTaken(const std::string& topic) const {
  const auto found = acked_->find(topic);
  return found != acked_->end() && found->second.taken;
}

absl::Status Producer::Produce(const Message& message) {
  if (!broken_.ok()) return broken_;
  const uint64_t cost = CostOf(message);
  const size_t bytes = cost * kCostUnit;
  if (in_flight_bytes_ != 0 && in_flight_bytes_ + bytes > buffer_bytes_) {
    return absl::ResourceExhaustedError("producer buffer is full");
  }
  std::array<rd_kafka_vu_t, 8> fields;
  size_t count = 0;
  fields[count].vtype = RD_KAFKA_VTYPE_RKT;
  fields[count++].u.rkt = message.topic->handle_;
  fields[count].vtype = RD_KAFKA_VTYPE_MSGFLAGS;
  fields[count++].u.i = RD_KAFKA_MSG_F_COPY;
  fields[count].vtype = RD_KAFKA_VTYPE_OPAQUE;
  fields[count++].u.ptr = Pack(message.alone ? kAlone : message.token, cost);
  fields[count++] = Bytes(RD_KAFKA_VTYPE_KEY, message.key);
  fields[count++] = Bytes(RD_KAFKA_VTYPE_VALUE, message.value);
  if (message.partition) {
    fields[count].vtype = RD_KAFKA_VTYPE_PARTITION;
    fields[count++].u.i32 = *message.partition;
  }
  if (message.timestamp_ms) {
    fields[count].vtype = RD_KAFKA_VTYPE_TIMESTAMP;
    fields[count++].u.i64 = *message.timestamp_ms;
  }
  rd_kafka_headers_t* headers = message.headers == nullptr ? nullptr : message.headers->Share();
  if (headers != nullptr) {
    fields[count].vtype = RD_KAFKA_VTYPE_HEADERS;
    fields[count++].u.headers = headers;
  }
  if (rd_kafka_error_t* error = rd_kafka_produceva(client_.handle(), fields.data(), count)) {
    const absl::Status status =
        KafkaError(rd_kafka_error_code(error),
                   absl::StrCat("topic ", rd_kafka_topic_name(message.topic->handle_)));
    rd_kafka_error_destroy(error);
    if (headers != nullptr) rd_kafka_headers_destroy(headers);
    const bool is_broken = !absl::IsResourceExhausted(status) && !absl::IsInvalidArgument(status);
    if (is_broken && !message.alone) Break(status);
    return status;
  }
  in_flight_bytes_ += bytes;
  if (in_flight_records_++ == 0) last_progress_ = clock_.Monotonic();
  return absl::OkStatus();
}

absl::Status Producer::Poll(DeliveryHandler& handler) {
  wakeup_.Drain();
  Run run{.handler = &handler};
  // Ends: what can arrive is bounded by what is in flight, and only this thread adds to that.
  while (rd_kafka_event_t* event = rd_kafka_queue_poll(events_, 0)) {
    OnEvent(event, &run);
    rd_kafka_event_destroy(event);
  }
  run.HandOver();
  LogOutage();
  return broken_;
}

absl::Status Producer::Flush(DeliveryHandler& handler, absl::Duration timeout) {
  constexpr int kStepMs = 5;
  const absl::Duration deadline = clock_.Monotonic() + timeout;
  while (true) {
    RETURN_IF_ERROR(Poll(handler));
    if (in_flight_records_ == 0) return absl::OkStatus();
    if (clock_.Monotonic() >= deadline) {
      return Error(absl::StatusCode::kDeadlineExceeded, "flush_timeout",
                   absl::StrCat(in_flight_records_, " records are not acknowledged by Kafka at ",
                                client_.bootstrap_servers(), " yet"));
    }
    // Ends linger.ms early; it cannot see the reports that wait for Poll, hence the short step.
    rd_kafka_flush(client_.handle(), kStepMs);
  }
}

absl::Status Producer::CheckConnected(absl::Duration timeout, Stopping stopping) {
  constexpr absl::Duration kStep = absl::Milliseconds(500);
  const absl::Duration deadline = clock_.Monotonic() + timeout;
  while (true) {
    const absl::Duration left = deadline - clock_.Monotonic();
    const absl::Status status = client_.CheckConnected(std::min(kStep, left));
    if (status.ok()) {
      OnConnected();
      return status;
    }
    if (stopping()) return Interrupted();
    TakeErrors();
    if (!identity_error_.ok()) return identity_error_;
    if (left > kStep && !all_down_) continue;
    return connection_error_.ok() ? status : connection_error_;
  }
}

// Why there is no connection, without touching deliveries.
void Producer::TakeErrors() {
  if (in_flight_records_ != 0) return;
  Run nothing{.handler = nullptr};
  while (rd_kafka_event_t* event = rd_kafka_queue_poll(events_, 0)) {
    OnEvent(event, &nothing);
    rd_kafka_event_destroy(event);
  }
}

void Producer::OnEvent(rd_kafka_op_s* event, Run* run) {
  switch (rd_kafka_event_type(event)) {
    case RD_KAFKA_EVENT_DR:
      OnDeliveries(event, run);
      break;
    case RD_KAFKA_EVENT_ERROR:
      OnError(event);
      break;
    default:
      break;
  }
}

void Producer::OnDeliveries(rd_kafka_op_s* event, Run* run) {
  AckedTopic* topic = nullptr;
  while (const rd_kafka_message_t* message = rd_kafka_event_message_next(event)) {
    const void* opaque = message->_private;
    in_flight_bytes_ -= CostOf(opaque) * kCostUnit;
    --in_flight_records_;
    if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
      OnFailure(*message, run);
      continue;
    }
    if (topic == nullptr) {  // one event holds records of one topic
      topic = static_cast<AckedTopic*>(rd_kafka_topic_opaque(message->rkt));
      topic->taken = true;
      last_progress_ = clock_.Monotonic();
      OnConnected();
    }
    const bool lost = !topic->Rises(message->partition, message->offset, last_progress_) &&
                      ShowsLoss(*message, topic);
    if (TokenOf(opaque) == kAlone) {
      run->handler->OnAlone(absl::OkStatus());
    } else if (!lost) {
      run->Add(TokenOf(opaque));
    }
  }
}

// Who shows a loss is sent again: the position that is stored then can tell of it.
bool Producer::ShowsLoss(const rd_kafka_message_s& message, AckedTopic* topic) {
  const absl::Duration now = clock_.Monotonic();
  const int64_t us = rd_kafka_message_latency(&message);  // negative: not known
  const absl::Duration age = us < 0 ? absl::InfiniteDuration() : absl::Microseconds(us);
  const std::string name = rd_kafka_topic_name(message.rkt);
  const absl::Status lost = topic->Judge(name, message.partition, message.offset, now - age);
  if (lost.ok()) return false;
  if (failed_batch_.topic.empty()) failed_batch_ = {.topic = name, .status = lost};
  Break(lost);
  return true;
}

// A broker that has just started may not know a topic yet that has taken records, or that would
// have been created while it was away: begin anew rather than fail. A new producer that finds the
// topic missing with brokers up fails for good.
absl::Status Producer::FailureOf(const rd_kafka_message_s& message) const {
  const std::string topic = absl::StrCat("topic ", rd_kafka_topic_name(message.rkt));
  const absl::Status status = KafkaError(message.err, topic);
  const bool known = static_cast<const AckedTopic*>(rd_kafka_topic_opaque(message.rkt))->taken;
  if ((known || was_away_) && ErrorReason(status) == "topic_missing") {
    return Error(absl::StatusCode::kUnavailable, "topic_gone",
                 absl::StrCat(topic, " is not known to Kafka", known ? " any more" : " yet"),
                 ErrorHint(status));
  }
  return status;
}

void Producer::OnFailure(const rd_kafka_message_s& message, Run* run) {
  // With its transaction, whose calls say why, or by Break.
  const bool purged = message.err == RD_KAFKA_RESP_ERR__PURGE_QUEUE ||
                      message.err == RD_KAFKA_RESP_ERR__PURGE_INFLIGHT;
  if (purged) return;
  if (TokenOf(message._private) == kAlone) return run->handler->OnAlone(FailureOf(message));
  if (broken_.ok()) Break(FailureOf(message));
  // Also where a call of the transaction has told of it before.
  if (failed_batch_.topic.empty()) {
    failed_batch_.topic = rd_kafka_topic_name(message.rkt);
    failed_batch_.status = FailureOf(message);
  }
  AddFailed(message);
}

void Producer::AddFailed(const rd_kafka_message_s& message) {
  if (failed_batch_.topic != rd_kafka_topic_name(message.rkt)) return;
  const size_t bytes = message.key_len + message.len;
  ++failed_batch_.records;
  failed_batch_.bytes += bytes;
  failed_batch_.largest = std::max(failed_batch_.largest, bytes);
}

void Producer::OnError(rd_kafka_op_s* event) {
  const int code = rd_kafka_event_error(event);
  const absl::Status status =
      KafkaError(code, absl::StrCat("Kafka at ", client_.bootstrap_servers()),
                 rd_kafka_event_error_string(event));
  if (code == RD_KAFKA_RESP_ERR__FATAL) {
    char text[512];
    const rd_kafka_resp_err_t cause = rd_kafka_fatal_error(client_.handle(), text, sizeof(text));
    Break(Error(absl::StatusCode::kUnavailable, "producer_fatal",
                absl::StrCat("Kafka producer: ", text, " (", rd_kafka_err2name(cause), ")")));
    return;
  }
  // A cluster that accepted us before is more likely to be restarting than to have forgotten us.
  if (IsIdentityError(code) && !was_connected_) {
    identity_error_ = status;
    Break(status);
    return;
  }
  if (IsIdentityError(code) && secrets_changed_ && secrets_changed_()) {
    Break(
        Error(absl::StatusCode::kUnavailable, "kafka_secrets_changed",
              absl::StrCat(status.message(), "; the credentials have changed, and are used now")));
    return;
  }
  if (code == RD_KAFKA_RESP_ERR_CLUSTER_AUTHORIZATION_FAILED) {
    Break(status);
    return;
  }
  if (code == RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN) {
    all_down_ = true;
    was_away_ = true;
    if (connection_error_.ok()) connection_error_ = status;
  } else if (IsConnectionError(code)) {
    connection_error_ = status;
  }
}

// Once per outage, and only when something has waited for its end a while: connections that were
// idle are opened again on demand.
void Producer::LogOutage() {
  constexpr absl::Duration kPatience = absl::Seconds(2);
  if (!all_down_ || outage_logged_ || in_flight_records_ == 0) return;
  const absl::Duration now = clock_.Monotonic();
  if (!waiting_since_) waiting_since_ = now;
  if (now - *waiting_since_ < kPatience) return;
  outage_logged_ = true;
  log::Warn("waiting for Kafka", {{"bootstrap_servers", client_.bootstrap_servers()},
                                  {"error", std::string(connection_error_.message())}});
}

void Producer::OnConnected() {
  was_connected_ = true;
  all_down_ = false;
  waiting_since_.reset();
  if (!connection_error_.ok()) connection_error_ = absl::OkStatus();
  if (!identity_error_.ok()) identity_error_ = absl::OkStatus();
  if (!outage_logged_) return;
  outage_logged_ = false;
  log::Info("Kafka answers again", {{"bootstrap_servers", client_.bootstrap_servers()}});
}

// What is not on its way yet is read again: sent now it would come twice, and before what failed.
void Producer::Break(absl::Status status) {
  if (!broken_.ok()) return;
  broken_ = std::move(status);
  if (!transactional_)
    rd_kafka_purge(client_.handle(), RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_NON_BLOCKING);
}

}  // namespace walduct::kafka
