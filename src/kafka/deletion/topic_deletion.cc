#include "kafka/deletion/topic_deletion.h"

#include <librdkafka/rdkafka.h>

#include <memory>

#include "absl/strings/str_cat.h"
#include "base/freed_by.h"
#include "kafka/admin_request.h"
#include "kafka/error.h"

namespace walduct::kafka {
namespace {

using DeleteTopicPtr =
    std::unique_ptr<rd_kafka_DeleteTopic_t, FreedBy<rd_kafka_DeleteTopic_destroy>>;
using QueuePtr = std::unique_ptr<rd_kafka_queue_t, FreedBy<rd_kafka_queue_destroy>>;

absl::Status StatusOf(const rd_kafka_topic_result_t& result) {
  const rd_kafka_resp_err_t error = rd_kafka_topic_result_error(&result);
  if (error == RD_KAFKA_RESP_ERR_NO_ERROR || error == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART)
    return absl::OkStatus();
  const char* const text = rd_kafka_topic_result_error_string(&result);
  return KafkaError(error,
                    absl::StrCat("cannot delete topic ", rd_kafka_topic_result_name(&result)),
                    text == nullptr ? "" : text);
}

}  // namespace

absl::Status DeleteTopics(Client& client, const std::vector<std::string>& topics,
                          absl::Duration timeout) {
  if (topics.empty()) return absl::OkStatus();
  std::vector<DeleteTopicPtr> owned;
  std::vector<rd_kafka_DeleteTopic_t*> wanted;
  for (const std::string& topic : topics) {
    owned.emplace_back(rd_kafka_DeleteTopic_new(topic.c_str()));
    wanted.push_back(owned.back().get());
  }
  const QueuePtr answers(rd_kafka_queue_new(client.handle()));
  const AdminOptionsPtr options = MakeAdminOptions(client, RD_KAFKA_ADMIN_OP_DELETETOPICS, timeout);
  rd_kafka_DeleteTopics(client.handle(), wanted.data(), wanted.size(), options.get(),
                        answers.get());
  const EventPtr event(rd_kafka_queue_poll(answers.get(), ToMilliseconds(timeout)));
  const std::string what = absl::StrCat("no answer from Kafka at ", client.bootstrap_servers());
  if (event == nullptr) return KafkaError(RD_KAFKA_RESP_ERR__TIMED_OUT, what);
  if (rd_kafka_event_error(event.get()) != RD_KAFKA_RESP_ERR_NO_ERROR)
    return KafkaError(rd_kafka_event_error(event.get()), what,
                      rd_kafka_event_error_string(event.get()));
  size_t count = 0;
  const rd_kafka_topic_result_t** const results =
      rd_kafka_DeleteTopics_result_topics(rd_kafka_event_DeleteTopics_result(event.get()), &count);
  absl::Status status;
  for (size_t i = 0; i < count; ++i) status.Update(StatusOf(*results[i]));
  return status;
}

}  // namespace walduct::kafka
