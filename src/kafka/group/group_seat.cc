#include "kafka/group/group_seat.h"

#include <librdkafka/rdkafka.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/freed_by.h"
#include "base/status_macros.h"
#include "kafka/error.h"

namespace walduct::kafka {
namespace {

using PartitionsPtr = std::unique_ptr<rd_kafka_topic_partition_list_t,
                                      FreedBy<rd_kafka_topic_partition_list_destroy>>;
using MessagePtr = std::unique_ptr<rd_kafka_message_t, FreedBy<rd_kafka_message_destroy>>;

constexpr int kPollMs = 100;
constexpr int kLeavePolls = 20;

// A newcomer takes nothing from who has it: so assigns cooperative-sticky.
absl::StatusOr<Properties> MemberProperties(const GroupSeat::Options& options) {
  ASSIGN_OR_RETURN(Properties properties, TranslateProperties(options.java));
  properties["group.id"] = options.group_id;
  properties["partition.assignment.strategy"] = "cooperative-sticky";
  properties["session.timeout.ms"] = "10000";
  properties["heartbeat.interval.ms"] = "3000";
  properties["enable.auto.commit"] = "false";
  properties["auto.offset.reset"] = "latest";
  properties["allow.auto.create.topics"] = "false";
  return properties;
}

}  // namespace

absl::StatusOr<std::unique_ptr<GroupSeat>> GroupSeat::Ask(const Options& options) {
  ASSIGN_OR_RETURN(Properties properties, MemberProperties(options));
  ASSIGN_OR_RETURN(Client client,
                   Client::Create(Client::Role::kConsumer, options.bootstrap_servers, properties));
  std::unique_ptr<GroupSeat> seat(new GroupSeat(std::move(client), options));
  rd_kafka_t* const handle = seat->client_.handle();
  rd_kafka_poll_set_consumer(handle);
  const PartitionsPtr topics(rd_kafka_topic_partition_list_new(1));
  rd_kafka_topic_partition_list_add(topics.get(), options.topic.c_str(), RD_KAFKA_PARTITION_UA);
  const rd_kafka_resp_err_t error = rd_kafka_subscribe(handle, topics.get());
  if (error != RD_KAFKA_RESP_ERR_NO_ERROR)
    return KafkaError(error, absl::StrCat("group ", options.group_id));
  seat->thread_ = std::thread([raw = seat.get()] { raw->Run(); });
  return seat;
}

GroupSeat::~GroupSeat() {
  ends_ = true;
  if (thread_.joinable()) thread_.join();
  Leave();
  rd_kafka_consumer_close(client_.handle());
}

// Closing alone would not say goodbye: librdkafka gives the partition back first, and is gone by
// then. Whoever is next would wait for the session's end.
void GroupSeat::Leave() {
  rd_kafka_unsubscribe(client_.handle());
  for (int polls = 0; polls < kLeavePolls && (held_ || polls < 2); ++polls) {
    const MessagePtr message(rd_kafka_consumer_poll(client_.handle(), kPollMs));
    Look();
  }
}

absl::Status GroupSeat::error() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return error_;
}

void GroupSeat::Run() {
  while (!ends_) {
    const MessagePtr message(rd_kafka_consumer_poll(client_.handle(), kPollMs));
    if (message != nullptr && message->err != RD_KAFKA_RESP_ERR_NO_ERROR)
      OnError(message->err, rd_kafka_message_errstr(message.get()));
    Look();
  }
}

void GroupSeat::Look() {
  rd_kafka_topic_partition_list_t* list = nullptr;
  if (rd_kafka_assignment(client_.handle(), &list) != RD_KAFKA_RESP_ERR_NO_ERROR) return;
  const PartitionsPtr assigned(list);
  bool first = false;
  for (int i = 0; i < assigned->cnt; ++i) first = first || assigned->elems[i].partition == 0;
  if (held_.exchange(first) != first && first) {
    // What is written to the topic does not concern us.
    rd_kafka_pause_partitions(client_.handle(), assigned.get());
    const std::lock_guard<std::mutex> lock(mutex_);
    error_ = absl::OkStatus();
  }
}

void GroupSeat::OnError(int code, const char* text) {
  const auto error = static_cast<rd_kafka_resp_err_t>(code);
  if (IsConnectionError(error)) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  if (error == RD_KAFKA_RESP_ERR_INCONSISTENT_GROUP_PROTOCOL) {
    error_ = Error(absl::StatusCode::kFailedPrecondition, "group_in_use",
                   absl::StrCat("the group ", group_id_,
                                " has members of another kind, such as "
                                "workers of Kafka Connect: two would run the same connectors"),
                   "stop the workers of Kafka Connect first, or give this one its own group.id and "
                   "topics");
  } else {
    error_ = KafkaError(error, absl::StrCat("group ", group_id_, ": ", text));
  }
}

}  // namespace walduct::kafka
