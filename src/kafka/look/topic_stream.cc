#include "kafka/look/topic_stream.h"

#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/freed_by.h"
#include "base/status_macros.h"
#include "kafka/client.h"
#include "kafka/error.h"

namespace walduct::kafka {
namespace {

using TopicPtr = std::unique_ptr<rd_kafka_topic_t, FreedBy<rd_kafka_topic_destroy>>;
using PartitionsPtr = std::unique_ptr<rd_kafka_topic_partition_list_t,
                                      FreedBy<rd_kafka_topic_partition_list_destroy>>;
using QueuePtr = std::unique_ptr<rd_kafka_queue_t, FreedBy<rd_kafka_queue_destroy>>;
using MessagePtr = std::unique_ptr<rd_kafka_message_t, FreedBy<rd_kafka_message_destroy>>;

constexpr absl::Duration kRetryPause = absl::Milliseconds(100);
constexpr size_t kBatch = 64;  // messages

absl::StatusOr<Properties> ReaderProperties(const Properties& java, bool goes_on) {
  ASSIGN_OR_RETURN(Properties properties, TranslateProperties(java));
  properties["isolation.level"] = "read_committed";
  properties["enable.partition.eof"] = "true";
  properties["allow.auto.create.topics"] = "false";
  properties["queued.max.messages.kbytes"] = "4096";
  // The end of an empty partition is known when the broker answers, which it would put off for new
  // records.
  properties["fetch.wait.max.ms"] = "10";
  // A queue that is full is soon empty: by default the next fetch is a second later.
  properties["fetch.queue.backoff.ms"] = "2";
  if (goes_on) properties["auto.offset.reset"] = "error";
  // Without a group: nothing is committed, no right on a group is needed.
  properties.erase("group.id");
  return properties;
}

class Reader final : public TopicStream {
 public:
  // ends: asked where the partitions end.
  Reader(TopicReadOptions options, Client client, Client ends)
      : options_(std::move(options)),
        client_(std::move(client)),
        ends_client_(std::move(ends)),
        deadline_(options_.environment.clock->Monotonic() + options_.timeout),
        topic_(rd_kafka_topic_new(client_.handle(), options_.topic.c_str(), nullptr)),
        queue_(rd_kafka_queue_new(client_.handle())) {}

  ~Reader() override {
    for (const int32_t partition : started_) rd_kafka_consume_stop(topic_.get(), partition);
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;

  absl::Status Start() {
    if (topic_ == nullptr) {
      return KafkaError(RD_KAFKA_RESP_ERR_TOPIC_EXCEPTION, Name());
    }
    ASSIGN_OR_RETURN(const int32_t partitions, CountPartitions());
    ASSIGN_OR_RETURN(ends_, QueryOffsets(partitions, RD_KAFKA_OFFSET_END));
    ASSIGN_OR_RETURN(const auto begins, QueryOffsets(partitions, RD_KAFKA_OFFSET_BEGINNING));
    RETURN_IF_ERROR(CheckFrom());
    ended_.assign(ends_.size(), true);
    for (size_t i = 0; i < ends_.size(); ++i) {
      expired_ += static_cast<uint64_t>(begins[i]);
      const bool goes_on = i < options_.from.size() && options_.from[i] > begins[i];
      // Empty: most are, of a topic with few keys.
      if ((goes_on ? options_.from[i] : begins[i]) >= ends_[i]) continue;
      const auto partition = static_cast<int32_t>(i);
      const int64_t first = goes_on ? options_.from[i] : RD_KAFKA_OFFSET_BEGINNING;
      if (rd_kafka_consume_start_queue(topic_.get(), partition, first, queue_.get()) != 0) {
        return KafkaError(rd_kafka_last_error(), Name());
      }
      started_.push_back(partition);
      ended_[i] = false;
    }
    open_ = started_.size();
    return absl::OkStatus();
  }

  absl::StatusOr<std::optional<TopicRecord>> Next() override {
    while (open_ > 0) {
      message_ = TakeMessage();
      if (message_ == nullptr) {
        if (RemainingMs() > 0) continue;
        return TimedOut();
      }
      if (message_->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
        OnEnd(static_cast<size_t>(message_->partition), message_->offset);
      } else if (message_->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
        RETURN_IF_ERROR(OnError(message_->err));
      } else if (!options_.until_silent || BeforeEnd(*message_)) {
        return ToRecord(*message_);
      }
    }
    return std::nullopt;
  }

  uint64_t CountExpired() const override { return expired_; }
  std::vector<int64_t> Ends() const override { return ends_; }

 private:
  std::string Name() const { return absl::StrCat("topic ", options_.topic); }

  absl::Status CheckFrom() const {
    for (size_t i = 0; i < options_.from.size(); ++i) {
      if (i >= ends_.size() || options_.from[i] > ends_[i])
        return absl::OutOfRangeError(
            absl::StrCat(Name(), "-", i, " ends before ", options_.from[i]));
    }
    return absl::OkStatus();
  }

  // What is there is taken at once: a message at a time costs a lock and a look at the clock each.
  // A batch that is waited for comes when it is full, so that the first is waited for alone.
  MessagePtr TakeMessage() {
    if (taken_ == batch_.size()) {
      if (std::exchange(prolonged_, false))
        deadline_ = options_.environment.clock->Monotonic() + options_.timeout;
      std::array<rd_kafka_message_t*, kBatch> messages;
      const ssize_t count =
          rd_kafka_consume_batch_queue(queue_.get(), 0, messages.data(), messages.size());
      batch_.clear();
      taken_ = 0;
      for (ssize_t i = 0; i < count; ++i) batch_.emplace_back(messages[static_cast<size_t>(i)]);
      if (batch_.empty()) return MessagePtr(rd_kafka_consume_queue(queue_.get(), RemainingMs()));
    }
    return std::move(batch_[taken_++]);
  }

  int RemainingMs() const {
    return ToMilliseconds(deadline_ - options_.environment.clock->Monotonic());
  }

  absl::StatusOr<int32_t> CountPartitions() {
    const rd_kafka_metadata_t* metadata = nullptr;
    const rd_kafka_resp_err_t error =
        rd_kafka_metadata(client_.handle(), 0, topic_.get(), &metadata, RemainingMs());
    if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {
      return KafkaError(error,
                        absl::StrCat("no answer from Kafka at ", client_.bootstrap_servers()));
    }
    rd_kafka_resp_err_t topic_error = RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART;
    int32_t partitions = 0;
    if (metadata->topic_cnt == 1) {
      topic_error = metadata->topics[0].err;
      partitions = metadata->topics[0].partition_cnt;
    }
    rd_kafka_metadata_destroy(metadata);
    if (topic_error != RD_KAFKA_RESP_ERR_NO_ERROR) return KafkaError(topic_error, Name());
    return partitions;
  }

  // Where the partitions end, or begin; one question for all, as each costs a way to the broker. A
  // leader tells an end only once it is sure. A client that reads committed records would be told
  // where the first open transaction begins: behind it may be what is looked for, committed by
  // another writer.
  absl::StatusOr<std::vector<int64_t>> QueryOffsets(int32_t partitions, int64_t which) {
    constexpr int kAttemptMs = 5000;
    while (true) {
      const PartitionsPtr list(rd_kafka_topic_partition_list_new(partitions));
      for (int32_t i = 0; i < partitions; ++i)
        rd_kafka_topic_partition_list_add(list.get(), options_.topic.c_str(), i)->offset = which;
      const absl::Status asked =
          ErrorOf(*list, rd_kafka_offsets_for_times(ends_client_.handle(), list.get(),
                                                    std::min(kAttemptMs, RemainingMs())));
      std::vector<int64_t> offsets;
      if (asked.ok()) {
        for (int i = 0; i < list->cnt; ++i) offsets.push_back(list->elems[i].offset);
        return offsets;
      }
      if (!absl::IsUnavailable(asked) || RemainingMs() == 0) return asked;
      options_.environment.poller->WaitReadable({}, kRetryPause);
    }
  }

  absl::Status ErrorOf(const rd_kafka_topic_partition_list_t& list,
                       rd_kafka_resp_err_t error) const {
    if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return KafkaError(error, Name());
    for (int i = 0; i < list.cnt; ++i) {
      const rd_kafka_topic_partition_t& one = list.elems[i];
      const bool answered = one.err != RD_KAFKA_RESP_ERR_NO_ERROR || one.offset >= 0;
      const auto said = answered ? one.err : RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE;
      if (said != RD_KAFKA_RESP_ERR_NO_ERROR)
        return KafkaError(said, absl::StrCat(Name(), "-", one.partition));
    }
    return absl::OkStatus();
  }

  // The client recovers from broken connections by itself until the deadline.
  absl::Status OnError(rd_kafka_resp_err_t error) {
    return IsConnectionError(error) ? absl::OkStatus() : KafkaError(error, Name());
  }

  absl::Status TimedOut() const {
    return Error(absl::StatusCode::kUnavailable, "topic_read_timeout",
                 absl::StrCat(Name(),
                              options_.until_silent ? " has not ended, and gave nothing for "
                                                    : " could not be read to its end within ",
                              absl::FormatDuration(options_.timeout)),
                 "see whether its partitions have leaders, and whether another connector has left "
                 "a transaction open in it: its next start ends that, or its "
                 "transaction.timeout.ms");
  }

  void OnEnd(size_t partition, int64_t offset) {
    // A broker that has just become the leader may not know its end yet: that comes later.
    if (offset < ends_[partition]) return;
    if (!ended_[partition]) --open_;
    ended_[partition] = true;
  }

  // What is written meanwhile could go on for ever: it is not read, and does not prolong the wait.
  bool BeforeEnd(const rd_kafka_message_t& message) {
    const auto partition = static_cast<size_t>(message.partition);
    if (message.offset >= ends_[partition]) {
      OnEnd(partition, message.offset);
      return false;
    }
    prolonged_ = true;
    return true;
  }

  static void AddHeaders(const rd_kafka_message_t& message, std::string* out) {
    rd_kafka_headers_t* headers = nullptr;
    if (rd_kafka_message_headers(&message, &headers) != RD_KAFKA_RESP_ERR_NO_ERROR) return;
    const char* name = nullptr;
    const void* value = nullptr;
    size_t size = 0;
    for (size_t i = 0;
         rd_kafka_header_get_all(headers, i, &name, &value, &size) == RD_KAFKA_RESP_ERR_NO_ERROR;
         ++i) {
      const absl::string_view text =
          value == nullptr ? "null" : absl::string_view(static_cast<const char*>(value), size);
      absl::StrAppend(out, name, "=", text, "\n");
    }
  }

  TopicRecord ToRecord(const rd_kafka_message_t& message) const {
    TopicRecord record;
    record.partition = message.partition;
    record.offset = message.offset;
    if (options_.headers) AddHeaders(message, &record.headers);
    rd_kafka_timestamp_type_t type = RD_KAFKA_TIMESTAMP_NOT_AVAILABLE;
    record.timestamp_ms = rd_kafka_message_timestamp(&message, &type);
    if (message.key != nullptr) {
      record.key = absl::string_view(static_cast<const char*>(message.key), message.key_len);
    }
    if (message.payload != nullptr) {
      record.value = absl::string_view(static_cast<const char*>(message.payload), message.len);
    }
    return record;
  }

  const TopicReadOptions options_;
  Client client_;
  Client ends_client_;
  absl::Duration deadline_;
  TopicPtr topic_;
  QueuePtr queue_;
  std::vector<int32_t> started_;
  std::vector<int64_t> ends_;  // by partition, when the reading began
  std::vector<bool> ended_;
  size_t open_ = 0;
  uint64_t expired_ = 0;
  std::vector<MessagePtr> batch_;  // from taken_ on still to be looked at
  size_t taken_ = 0;
  MessagePtr message_;      // the last one given out
  bool prolonged_ = false;  // the deadline, by a record
};

}  // namespace

absl::StatusOr<std::unique_ptr<TopicStream>> TopicStream::Open(TopicReadOptions options) {
  ASSIGN_OR_RETURN(Properties properties, ReaderProperties(options.java, !options.from.empty()));
  ASSIGN_OR_RETURN(Client client,
                   Client::Create(Client::Role::kConsumer, options.bootstrap_servers, properties));
  if (options.awaits_transactions) properties["isolation.level"] = "read_uncommitted";
  ASSIGN_OR_RETURN(Client ends,
                   Client::Create(Client::Role::kConsumer, options.bootstrap_servers, properties));
  auto reader = std::make_unique<Reader>(std::move(options), std::move(client), std::move(ends));
  RETURN_IF_ERROR(reader->Start());
  return reader;
}

absl::StatusOr<std::vector<std::string>> ListTopics(Client& client, absl::string_view prefix,
                                                    absl::Duration timeout) {
  const rd_kafka_metadata_t* metadata = nullptr;
  const rd_kafka_resp_err_t error =
      rd_kafka_metadata(client.handle(), 1, nullptr, &metadata, ToMilliseconds(timeout));
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR)
    return KafkaError(error, absl::StrCat("no answer from Kafka at ", client.bootstrap_servers()));
  std::vector<std::string> names;
  for (int i = 0; i < metadata->topic_cnt; ++i) {
    const absl::string_view name = metadata->topics[i].topic;
    if (absl::StartsWith(name, prefix)) names.emplace_back(name);
  }
  rd_kafka_metadata_destroy(metadata);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace walduct::kafka
