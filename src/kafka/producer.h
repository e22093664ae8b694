// Producer: sends records in order per partition, and says in the order of arrival which are
// durable. Nothing is dropped: a record that cannot be delivered breaks the producer for good.
//
// Not thread-safe: one caller. librdkafka's threads only reach its queue. Bytes in flight are
// counted here, with what a record costs in memory beyond its bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "base/environment.h"
#include "base/stopping.h"
#include "base/wake.h"
#include "kafka/acked/acked_topic.h"
#include "kafka/client.h"
#include "kafka/properties.h"
#include "kafka/send_permit.h"

struct rd_kafka_headers_s;
struct rd_kafka_message_s;
struct rd_kafka_op_s;
struct rd_kafka_queue_s;
struct rd_kafka_topic_s;

namespace walduct::kafka {

class DeliveryHandler {
 public:
  virtual ~DeliveryHandler() = default;
  // count records produced with this token, one after the other, are durable.
  virtual void OnDelivered(uint64_t token, uint32_t count) = 0;
  // The message that was sent alone is durable, or will never be.
  virtual void OnAlone(const absl::Status& fate) { static_cast<void>(fate); }
};

// A topic of one producer, which must outlive it.
class Topic {
 public:
  Topic(Topic&& other) noexcept;
  Topic& operator=(Topic&&) = delete;
  ~Topic();

 private:
  friend class Producer;
  explicit Topic(rd_kafka_topic_s* handle) : handle_(handle) {}

  rd_kafka_topic_s* handle_;  // owned
};

struct HeaderText {
  absl::string_view name;
  std::optional<absl::string_view> value;  // absent: null
};

// Headers of any number of records. Each message that has them takes a share of one piece of memory
// where librdkafka is ours (scripts/librdkafka), and a copy elsewhere.
class Headers {
 public:
  Headers() = default;
  Headers(const Headers&) = delete;
  Headers& operator=(const Headers&) = delete;
  ~Headers() { Set({}); }

  // Copies the texts. Messages keep what they have.
  void Set(absl::Span<const HeaderText> headers);
  // What the next message that has them adds to the memory in use.
  size_t memory_bytes() const { return shared_ ? 0 : memory_bytes_; }

 private:
  friend class Producer;
  // The message's own reference; null: there are none.
  rd_kafka_headers_s* Share();

  rd_kafka_headers_s* handle_ = nullptr;
  size_t memory_bytes_ = 0;
  bool shared_ = false;  // a message has paid for them
};

struct Message {
  const Topic* topic = nullptr;
  std::optional<int32_t> partition = {};        // absent: by the key
  std::optional<absl::string_view> key = {};    // absent: null
  std::optional<absl::string_view> value = {};  // absent: null
  std::optional<int64_t> timestamp_ms = {};     // since the Unix epoch; absent: now
  Headers* headers = nullptr;                   // null: none
  uint64_t token = 0;                           // below 2^40 - 1
  // Its fate is told by OnAlone, and its failure breaks nothing. The token is not used.
  bool alone = false;
};

// Of a broken producer, the first that failed: consecutive records of one topic, a batch as a rule.
struct FailedBatch {
  std::string topic;
  absl::Status status = {};  // the batch's, which may not be what broke the producer
  uint64_t records = 0;
  size_t bytes = 0;    // of their keys and values
  size_t largest = 0;  // of one of them
};

// InvalidArgument topic_name_invalid when a broker would refuse the name, which would break the
// producer.
absl::Status CheckTopicName(absl::string_view name);

class Producer {
 public:
  struct Options {
    std::string bootstrap_servers;
    Properties java;  // see ProducerProperties
    ProducerRules rules;
    Environment environment;
    // What the producer before was told, which is gone by now; null: nothing.
    std::shared_ptr<AckedTopics> acked = nullptr;
    // Whether a new producer would have other credentials; empty: never. Asked when a broker that
    // accepted this one refuses it; reads files.
    std::function<bool()> secrets_changed = {};
  };
  static absl::StatusOr<std::unique_ptr<Producer>> Create(const Options& options);
  ~Producer();

  absl::StatusOr<Topic> OpenTopic(const std::string& name);
  // Whether a record of this topic has been delivered.
  bool HasTaken(const std::string& topic) const;

  // Never waits. Copies the message.
  //   ResourceExhausted  buffer_bytes are in flight; nothing taken. One message alone may exceed
  //                      them.
  //   InvalidArgument    record_too_large; nothing taken
  //   anything else      broken for good
  absl::Status Produce(const Message& message);
  bool HasCapacity() const { return in_flight_bytes_ < buffer_bytes_; }

  // Hands over what has been delivered. Once a record could not be, always that error.
  absl::Status Poll(DeliveryHandler& handler);
  // Sends at once what waits for company and waits for all of it. DeadlineExceeded flush_timeout.
  absl::Status Flush(DeliveryHandler& handler, absl::Duration timeout);
  int ready_fd() const { return wakeup_.fd(); }

  // For before the first record. Waits at most timeout, less when all brokers refuse. Unavailable,
  // or the Unauthenticated or FailedPrecondition (TLS) that lies behind it.
  absl::Status CheckConnected(absl::Duration timeout, Stopping stopping = NeverStops);

  // See SendPermit.
  void RenewPermit() { permit_->Renew(); }
  bool KeepPermit() { return permit_->Keep(); }  // see SendPermit

  // Why no broker can be reached, as far as is known; OK: one can.
  const absl::Status& connection_error() const { return connection_error_; }

  // Since when records have been in flight with no delivery, on the monotonic clock.
  absl::Duration waiting_since() const { return last_progress_; }

  // Of a producer that a record has broken.
  const FailedBatch& failed_batch() const { return failed_batch_; }

  size_t in_flight_bytes() const { return in_flight_bytes_; }
  size_t buffer_bytes() const { return buffer_bytes_; }
  uint64_t in_flight_records() const { return in_flight_records_; }
  Client& client() { return client_; }
  // Whether brokers may create a topic for its first record, as far as this client lets them.
  bool lets_create() const;
  // One of its own for questions, which needs no permit: who waits for an answer renews none. It
  // lives as long as the producer; its own client where another one cannot be made.
  Client* ClientForQuestions();
  Wake& wakeup() { return wakeup_; }

 private:
  struct Run;

  Producer(std::unique_ptr<SendPermit> permit, Client client, const Options& options);
  void OnEvent(rd_kafka_op_s* event, Run* run);
  void OnDeliveries(rd_kafka_op_s* event, Run* run);
  bool ShowsLoss(const rd_kafka_message_s& message, AckedTopic* topic);
  void OnFailure(const rd_kafka_message_s& message, Run* run);
  absl::Status FailureOf(const rd_kafka_message_s& message) const;
  void AddFailed(const rd_kafka_message_s& message);
  void OnError(rd_kafka_op_s* event);
  void OnConnected();
  void LogOutage();
  void TakeErrors();
  void Break(absl::Status status);

  Wake wakeup_;  // before the client, whose threads write to it to the end
  const std::unique_ptr<SendPermit> permit_;  // the same, asked by them
  // Also of topics that were closed: librdkafka keeps the address for as long as it likes.
  const std::shared_ptr<AckedTopics> acked_;
  Client client_;
  const Properties java_;
  std::optional<Client> for_questions_;  // once there was one
  rd_kafka_queue_s* events_;             // owned
  Clock& clock_;
  const std::function<bool()> secrets_changed_;
  const size_t buffer_bytes_;
  const bool transactional_;
  size_t in_flight_bytes_ = 0;
  uint64_t in_flight_records_ = 0;
  absl::Duration last_progress_;
  bool was_connected_ = false;
  bool all_down_ = false;  // no broker is connected, as far as librdkafka has said
  bool was_away_ = false;  // all brokers were down at some time
  bool outage_logged_ = false;
  std::optional<absl::Duration> waiting_since_;  // records have been in flight with no broker
  absl::Status connection_error_;                // last one of a single broker
  absl::Status identity_error_;                  // last one while never connected
  absl::Status broken_;                          // first failure
  FailedBatch failed_batch_;
};

}  // namespace walduct::kafka
