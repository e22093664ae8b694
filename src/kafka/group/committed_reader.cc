#include "kafka/group/committed_reader.h"

#include <librdkafka/rdkafka.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/freed_by.h"
#include "base/status_macros.h"
#include "kafka/error.h"

namespace walduct::kafka {
namespace {

using PartitionsPtr = std::unique_ptr<rd_kafka_topic_partition_list_t,
                                      FreedBy<rd_kafka_topic_partition_list_destroy>>;
using MessagePtr = std::unique_ptr<rd_kafka_message_t, FreedBy<rd_kafka_message_destroy>>;

using EventPtr = std::unique_ptr<rd_kafka_event_t, FreedBy<rd_kafka_event_destroy>>;

constexpr absl::Duration kLastCommit = absl::Seconds(2);
constexpr int kMaxRecords = 1000;  // of one call
constexpr int32_t kPartition = 0;

absl::StatusOr<Properties> ReaderProperties(const Properties& java) {
  ASSIGN_OR_RETURN(Properties properties, TranslateProperties(java));
  properties.try_emplace("auto.offset.reset", "earliest");
  properties["enable.auto.commit"] = "false";  // Done does it
  properties["enable.auto.offset.store"] = "false";
  // Without a member it bounds how long a commit waits for the coordinator, also at the end.
  properties["session.timeout.ms"] = "2000";
  properties["allow.auto.create.topics"] = "false";
  return properties;
}

PartitionsPtr PartitionAt(const std::string& topic, int64_t offset) {
  PartitionsPtr list(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(list.get(), topic.c_str(), kPartition)->offset = offset;
  return list;
}

}  // namespace

absl::StatusOr<std::unique_ptr<CommittedReader>> CommittedReader::Open(const Options& options) {
  ASSIGN_OR_RETURN(const Properties properties, ReaderProperties(options.java));
  ASSIGN_OR_RETURN(Client client,
                   Client::Create(Client::Role::kConsumer, options.bootstrap_servers, properties));
  std::unique_ptr<CommittedReader> reader(new CommittedReader(std::move(client), options.topic));
  rd_kafka_poll_set_consumer(reader->client_.handle());
  const PartitionsPtr from = PartitionAt(options.topic, RD_KAFKA_OFFSET_STORED);
  const rd_kafka_resp_err_t error = rd_kafka_assign(reader->client_.handle(), from.get());
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR)
    return KafkaError(error, absl::StrCat("topic ", options.topic));
  return reader;
}

CommittedReader::CommittedReader(Client client, std::string topic)
    : client_(std::move(client)),
      topic_(std::move(topic)),
      answers_(rd_kafka_queue_new(client_.handle()), rd_kafka_queue_destroy) {}

// A consumer that is closed waits for its commits, as long as the broker is away.
CommittedReader::~CommittedReader() { TakeAnswers(kLastCommit); }

void CommittedReader::TakeAnswers(absl::Duration at_most) {
  while (asked_ > 0) {
    const EventPtr answer(rd_kafka_queue_poll(answers_.get(), ToMilliseconds(at_most)));
    if (answer == nullptr) return;
    --asked_;
    // It is asked for again with the next one.
    if (rd_kafka_event_error(answer.get()) != RD_KAFKA_RESP_ERR_NO_ERROR) committed_ = -1;
  }
}

absl::Status CommittedReader::Poll(
    absl::Duration at_most,
    const std::function<void(const TopicRecord& record, int64_t offset)>& handler) {
  int wait = ToMilliseconds(at_most);
  for (int records = 0; records < kMaxRecords; ++records) {
    const MessagePtr message(rd_kafka_consumer_poll(client_.handle(), std::exchange(wait, 0)));
    if (message == nullptr) break;
    if (message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) continue;
    if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
      return KafkaError(message->err, absl::StrCat("topic ", topic_, ": ",
                                                   rd_kafka_message_errstr(message.get())));
    }
    TopicRecord record;
    record.partition = message->partition;
    if (message->key != nullptr)
      record.key = absl::string_view(static_cast<const char*>(message->key), message->key_len);
    if (message->payload != nullptr)
      record.value = absl::string_view(static_cast<const char*>(message->payload), message->len);
    handler(record, message->offset);
  }
  return absl::OkStatus();
}

void CommittedReader::Done(int64_t offset) {
  TakeAnswers(absl::ZeroDuration());
  if (offset == committed_) return;
  const PartitionsPtr to = PartitionAt(topic_, offset);
  const rd_kafka_resp_err_t error =
      rd_kafka_commit_queue(client_.handle(), to.get(), answers_.get(), nullptr, nullptr);
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR) return;
  ++asked_;
  committed_ = offset;
}

}  // namespace walduct::kafka
