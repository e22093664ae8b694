// KafkaOffsetStore: Connect's compacted offset topic (offset.storage.topic), created by us when it
// is missing and something is stored. Records carry the bytes and the partitioner of Connect, so
// that one key has one history whoever writes it.
//
// Errors of Load: Unavailable broker_unavailable, topic_read_timeout or offset_topic_unknown: never
// "no offset" because a broker does not know the topic for a moment; FailedPrecondition
// offset_topic_not_compacted; PermissionDenied or FailedPrecondition with how to create the topic
// by hand; InvalidArgument offset_malformed.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "kafka/options.h"
#include "kafka/producer.h"
#include "kafka/topic_admin.h"
#include "offset/offset_key.h"
#include "offset/offset_store.h"
#include "offset/options.h"
#include "offset/topic/offset_topics.h"

namespace walduct::offset {

class KafkaOffsetStore final : public OffsetStore, private kafka::DeliveryHandler {
 public:
  static absl::StatusOr<std::unique_ptr<OffsetStore>> Create(const OffsetOptions& options,
                                                             const kafka::KafkaOptions& kafka,
                                                             OffsetIdentity identity,
                                                             const Environment& environment,
                                                             std::shared_ptr<OffsetTopics> topics);

  absl::StatusOr<std::optional<StoredOffset>> Load() override { return Read(true); }
  // Waits for no open transaction.
  absl::StatusOr<std::optional<StoredOffset>> Peek() override { return Read(false); }
  absl::Status Prepare() override;
  absl::Status StartSave(const StoredOffset& offset) override;
  // While the broker is away the answer stays absent; the record waits in the producer.
  std::optional<absl::Status> PollSave() override;
  int ready_fd() const override { return producer_ ? producer_->ready_fd() : -1; }
  void RenewPermit() override {
    if (producer_) producer_->RenewPermit();
  }
  std::optional<event::Record> RecordOf(const StoredOffset& offset) override;
  absl::Status Erase() override;
  absl::Status Doubt() override;
  absl::Status ExplainEnd(const absl::Status& status) override;
  bool erased() const override { return erased_; }

 private:
  KafkaOffsetStore(OffsetOptions options, kafka::KafkaOptions kafka, OffsetIdentity identity,
                   const Environment& environment, std::shared_ptr<OffsetTopics> topics);
  absl::Status Gone(absl::string_view why) const;
  void CloseProducer();
  void OnDelivered(uint64_t token, uint32_t count) override;
  absl::Status OpenProducer();
  absl::StatusOr<std::optional<StoredOffset>> Read(bool awaits_transactions);
  struct Found {
    OffsetTopics::Places places = {};  // that are this connector's
    absl::Status fit = {};             // see OffsetTopics::Reading
  };
  absl::Status ReadLatest(bool awaits_transactions, Found* found);
  std::string TopicId();
  absl::Status Explain(const absl::Status& status) const;
  void TellIfLong(absl::Duration took, size_t records) const;
  absl::Status CheckTopic();
  // False: it is there already.
  absl::StatusOr<bool> CreateTopic(kafka::TopicAdmin::Creation creation);
  absl::Status TryCreateTopic(int replication_factor, kafka::TopicAdmin::Creation creation,
                              bool* existed);
  absl::Status Send(absl::string_view key, std::optional<absl::string_view> value);

  const OffsetOptions options_;
  kafka::KafkaOptions kafka_;  // its secrets are read anew with each producer
  const OffsetIdentity identity_;
  const Environment environment_;
  const std::shared_ptr<OffsetTopics> topics_;
  const absl::Duration timeout_;
  std::optional<absl::Duration> read_at_;      // what was read may still be kept
  std::unique_ptr<kafka::Producer> producer_;  // absent until it is needed, and after it broke
  std::optional<kafka::Topic> topic_;          // of producer_
  std::unique_ptr<kafka::TopicAdmin> doubt_;   // the same; null: no question is under way
  bool erased_ = false;                        // the last Load found a tombstone
  bool missing_ = false;                       // the last Load found no topic
  bool commits_ = false;                       // positions go with transactions
  std::string key_, value_;                    // of the last RecordOf
  uint64_t sent_ = 0;                          // token of the last record
  uint64_t delivered_ = 0;                     // token of the last one that is durable
};

}  // namespace walduct::offset
