#include "kafka/look/topic_follower.h"

#include <librdkafka/rdkafka.h>

#include <limits>

#include "absl/strings/str_cat.h"
#include "base/freed_by.h"
#include "base/status_macros.h"
#include "kafka/error.h"

namespace walduct::kafka {
namespace {

using TopicPtr = std::unique_ptr<rd_kafka_topic_t, FreedBy<rd_kafka_topic_destroy>>;
using MessagePtr = std::unique_ptr<rd_kafka_message_t, FreedBy<rd_kafka_message_destroy>>;
using MetadataPtr = std::unique_ptr<const rd_kafka_metadata_t, FreedBy<rd_kafka_metadata_destroy>>;
using PartitionsPtr = std::unique_ptr<rd_kafka_topic_partition_list_t,
                                      FreedBy<rd_kafka_topic_partition_list_destroy>>;

constexpr int kPollMs = 200;
constexpr int kEndsMs = 2000;

absl::StatusOr<Properties> FollowerProperties(const Properties& java) {
  ASSIGN_OR_RETURN(Properties properties, TranslateProperties(java));
  properties["isolation.level"] = "read_committed";
  properties["enable.partition.eof"] = "true";
  properties["allow.auto.create.topics"] = "false";
  properties["auto.offset.reset"] = "earliest";
  properties["enable.auto.commit"] = "false";
  properties["enable.auto.offset.store"] = "false";
  properties["queued.max.messages.kbytes"] = "4096";
  properties["fetch.queue.backoff.ms"] = "2";
  // Of the handle alone: nothing is committed and nobody joins.
  properties["group.id"] = "walduct-follower";
  return properties;
}

absl::string_view ViewOf(const void* data, size_t size) {
  return {static_cast<const char*>(data), size};
}

}  // namespace

absl::StatusOr<std::unique_ptr<TopicFollower>> TopicFollower::Begin(const Options& options,
                                                                    Handler handler) {
  ASSIGN_OR_RETURN(const Properties properties, FollowerProperties(options.java));
  ASSIGN_OR_RETURN(Client client,
                   Client::Create(Client::Role::kConsumer, options.bootstrap_servers, properties));
  std::unique_ptr<TopicFollower> follower(new TopicFollower(std::move(client), std::move(handler)));
  rd_kafka_poll_set_consumer(follower->client_.handle());
  RETURN_IF_ERROR(follower->Assign(options));
  follower->thread_ = std::thread([raw = follower.get()] { raw->Run(); });
  return follower;
}

absl::Status TopicFollower::Assign(const Options& options) {
  const PartitionsPtr list(rd_kafka_topic_partition_list_new(8));
  for (const std::string& name : options.topics) {
    const TopicPtr topic(rd_kafka_topic_new(client_.handle(), name.c_str(), nullptr));
    const rd_kafka_metadata_t* raw = nullptr;
    const rd_kafka_resp_err_t error =
        rd_kafka_metadata(client_.handle(), 0, topic.get(), &raw, ToMilliseconds(options.timeout));
    const MetadataPtr metadata(raw);
    if (error != RD_KAFKA_RESP_ERR_NO_ERROR)
      return KafkaError(error,
                        absl::StrCat("no answer from Kafka at ", client_.bootstrap_servers()));
    const bool one = metadata->topic_cnt == 1;
    const rd_kafka_resp_err_t of_topic =
        one ? metadata->topics[0].err : RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART;
    if (of_topic != RD_KAFKA_RESP_ERR_NO_ERROR)
      return KafkaError(of_topic, absl::StrCat("topic ", name));
    for (int32_t i = 0; i < metadata->topics[0].partition_cnt; ++i) {
      rd_kafka_topic_partition_list_add(list.get(), name.c_str(), i)->offset =
          RD_KAFKA_OFFSET_BEGINNING;
      behind_[name][i] = std::numeric_limits<int64_t>::max();
    }
  }
  AskForEnds(list.get());
  const rd_kafka_resp_err_t error = rd_kafka_assign(client_.handle(), list.get());
  return error == RD_KAFKA_RESP_ERR_NO_ERROR ? absl::OkStatus()
                                             : KafkaError(error, "following topics");
}

// A fetch from the end of a partition is answered when there is something new, or after half a
// second: who has read all there is would know only then. Where nobody answers, the fetches tell.
void TopicFollower::AskForEnds(rd_kafka_topic_partition_list_t* assigned) {
  const auto ask = [&](int64_t which) -> PartitionsPtr {
    PartitionsPtr list(rd_kafka_topic_partition_list_copy(assigned));
    for (int i = 0; i < list->cnt; ++i) list->elems[i].offset = which;
    const rd_kafka_resp_err_t error =
        rd_kafka_offsets_for_times(client_.handle(), list.get(), kEndsMs);
    if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return nullptr;
    for (int i = 0; i < list->cnt; ++i)
      if (list->elems[i].err != RD_KAFKA_RESP_ERR_NO_ERROR || list->elems[i].offset < 0)
        return nullptr;
    return list;
  };
  // In this order: records that expire meanwhile make no partition look empty that was not.
  const PartitionsPtr begins = ask(RD_KAFKA_OFFSET_BEGINNING);
  const PartitionsPtr ends = begins ? ask(RD_KAFKA_OFFSET_END) : nullptr;
  if (!ends) return;
  for (int i = 0; i < ends->cnt; ++i) {
    assigned->elems[i].offset = begins->elems[i].offset;  // else each is asked for once more
    auto& behind = behind_[ends->elems[i].topic];
    const int32_t partition = ends->elems[i].partition;
    if (begins->elems[i].offset >= ends->elems[i].offset)
      behind.erase(partition);
    else
      behind[partition] = ends->elems[i].offset;
  }
}

TopicFollower::~TopicFollower() {
  ends_ = true;
  if (thread_.joinable()) thread_.join();
  rd_kafka_consumer_close(client_.handle());
}

// The record at next is the one that follows.
void TopicFollower::Reach(absl::string_view topic, int32_t partition, int64_t next) {
  const auto behind = behind_.find(topic);
  const auto end = behind->second.find(partition);
  if (end == behind->second.end() || next < end->second) return;
  behind->second.erase(end);
  if (behind->second.empty()) handler_({.topic = topic, .caught_up = true});
}

void TopicFollower::Run() {
  for (const auto& [topic, behind] : behind_)
    if (behind.empty()) handler_({.topic = topic, .caught_up = true});
  while (!ends_) {
    const MessagePtr message(rd_kafka_consumer_poll(client_.handle(), kPollMs));
    if (message == nullptr || message->rkt == nullptr) continue;
    const absl::string_view topic = rd_kafka_topic_name(message->rkt);
    const auto behind = behind_.find(topic);
    if (behind == behind_.end()) continue;
    if (message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
      // Of records that there are no more of, or that are no records, nothing else is told.
      Reach(topic, message->partition, std::numeric_limits<int64_t>::max());
    } else if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
      TopicRecord record;
      record.partition = message->partition;
      record.offset = message->offset;
      if (message->key != nullptr) record.key = ViewOf(message->key, message->key_len);
      if (message->payload != nullptr) record.value = ViewOf(message->payload, message->len);
      handler_({.topic = topic, .record = &record, .caught_up = behind->second.empty()});
      Reach(topic, record.partition, record.offset + 1);
    }
  }
}

}  // namespace walduct::kafka
