// KafkaSink: records into Kafka topics. A topic's existence is asked for before its first record.
// Where topic.creation.* is configured it is created when it is missing, the dead letter topic in
// any case; otherwise that is left to the broker's auto.create.topics.enable, a few at a time
// (AwaitedTopics), but not while no broker answers: librdkafka would take the first answer after an
// outage for the topic's absence, and fail.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "event/record.h"
#include "kafka/partition_health.h"
#include "kafka/producer.h"
#include "kafka/topic_admin.h"
#include "metrics/topic_board.h"
#include "sink/awaited_topics.h"
#include "sink/kafka_sink_options.h"
#include "sink/kafka_transactions.h"
#include "sink/last_headers.h"
#include "sink/lone_record.h"
#include "sink/refusals.h"
#include "sink/sink.h"

namespace walduct::kafka {
struct KafkaOptions;
}  // namespace walduct::kafka

namespace walduct::sink {

class KafkaSink final : public Sink {
 public:
  // A connector writes to at most so many topics: each costs memory in the client for as long as it
  // lives.
  static constexpr size_t kMaxTopics = 65536;
  // Beyond so many, whenever there are twice as many as were left the last time, topics that are
  // not in use any more (KafkaSinkOptions) are forgotten: what dropped tables cost is given back.
  // From half of kMaxTopics on, all without a record since the last time are.
  // Should another record come, the topic is looked for again, which takes a request.
  static constexpr size_t kKeptTopics = 64;

  // refusals: borrowed; null: a record that a broker refuses breaks the sink, and that is all. With
  // transactions it breaks it, too, but is known: it has spoilt its own.
  static absl::StatusOr<std::unique_ptr<Sink>> Create(const KafkaSinkOptions& options,
                                                      const kafka::KafkaOptions& kafka,
                                                      const Environment& environment,
                                                      Refusals* refusals = nullptr);

  ~KafkaSink() override;

  absl::Status CheckTopics(absl::Span<const std::string> topics, Stopping stopping) override;
  absl::Status PrepareTopics(absl::Span<const std::string> topics, Stopping stopping) override;
  bool HasCapacity() override;
  bool spoilt() const override { return spoilt_; }
  Load load() const override {
    return {.bytes = producer_->in_flight_bytes(), .limit_bytes = producer_->buffer_bytes()};
  }
  absl::Status Write(const event::Record& record, Ticket ticket) override;
  absl::Status Poll(AckHandler& acks) override;
  int ready_fd() const override { return producer_->ready_fd(); }
  absl::Status Flush(AckHandler& acks, absl::Duration timeout) override;
  void RenewPermit() override { producer_->RenewPermit(); }
  SinkTransactions* transactions() override { return transactions_.get(); }
  std::string WaitingFor() override;
  std::string WaitingHint() const override;

 private:
  struct Target {
    std::string name;
    // Absent until it exists, or a broker is there to look after that.
    std::optional<kafka::Topic> topic;
    std::string id = {};                           // as Kafka counts it; empty: not known
    bool placed = false;                           // its records say their partition
    bool missing = false;                          // the broker is to create it
    absl::Status refused;                          // its name, by the broker
    Refusals::Topic* caution = nullptr;            // null: none of its records was refused
    metrics::TopicBoard::Mark* written = nullptr;  // null: nobody asks
    uint64_t used = 0;                             // age_, when it had a record last
  };
  class Forward;
  class IntoTransaction;
  using Targets = absl::flat_hash_map<std::string, std::unique_ptr<Target>>;

  KafkaSink(std::unique_ptr<kafka::Producer> producer, const KafkaSinkOptions& options,
            const Environment& environment, Refusals* refusals);
  bool Creates(absl::string_view topic) const {
    return !groups_.empty() || topic == dead_letters_.name;
  }
  kafka::NewTopic PlanOf(const Target& target) const;
  absl::Status FirstRefused() const;
  // The target of the last record while Kafka is asked about its topic; null otherwise.
  const Target* AskedFor() const;
  void UseTransactions(const Environment& environment);
  absl::Status WriteRecord(const event::Record& record, Ticket ticket);
  absl::StatusOr<Target*> FindTarget(absl::string_view topic);
  absl::StatusOr<Target*> AddTarget(absl::string_view topic);
  void ForgetUnused();
  void BreakIfForgetful();
  absl::Status TakeAnswers(absl::Duration wait);
  void BreakIfStuck(const std::string& where);
  absl::Status OnAnswer(const kafka::TopicAnswer& answer);
  absl::Status OpenTarget(Target* target);
  absl::Status OpenMissing(Target* target);
  // A topic that cannot be written to: whether only its records are given up.
  bool Tolerates(const absl::Status& error, Target* target);
  // Of a topic of which something was refused: whether there is an answer without sending the
  // record. OK: there is none.
  absl::Status Consider(Target* target);
  absl::Status CountInTransaction(const absl::Status& fate);
  absl::Status Send(const Target& target, const kafka::Message& message, size_t bytes,
                    Ticket ticket);
  // A topic that was deleted under its records is the error of a batch of them.
  absl::Status OfTopic(const absl::Status& error, const kafka::FailedBatch& batch);
  // Breaks the sink, and learns from what broke it.
  absl::Status Break(const absl::Status& error, const kafka::FailedBatch& batch);

  Clock& clock_;
  Poller& poller_;
  std::unique_ptr<kafka::Producer> producer_;  // outlives topics and admin
  const std::vector<TopicCreationGroup> groups_;
  const kafka::NewTopic dead_letters_;  // without a name: none
  AwaitedTopics awaited_;
  kafka::TopicAdmin admin_;
  kafka::TopicAdmin::Creation creation_ = kafka::TopicAdmin::Creation::kMeant;
  kafka::PartitionHealth health_;
  Targets targets_;
  Target* last_ = nullptr;  // of the record before
  size_t sweep_at_ = kKeptTopics;
  absl::flat_hash_set<std::string> forgotten_;  // what librdkafka still knows
  const size_t most_forgotten_;
  const absl::Duration used_time_;
  uint64_t age_ = 0;  // each of used_time_ at least
  absl::Duration age_began_;
  LastHeaders headers_;
  LoneRecord lone_;
  const TolerateTopics tolerate_;
  const std::shared_ptr<metrics::TopicBoard> topics_;  // null: none
  Refusals* const refusals_;                           // borrowed; null: nothing is learnt
  std::unique_ptr<KafkaTransactions> transactions_;    // null: none
  absl::Status broken_;
  bool spoilt_ = false;
};

}  // namespace walduct::sink
