#include "kafka/look/topic_description.h"

#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <memory>

#include "absl/strings/str_cat.h"
#include "base/freed_by.h"
#include "kafka/admin_request.h"
#include "kafka/error.h"

namespace walduct::kafka {
namespace {

using QueuePtr = std::unique_ptr<rd_kafka_queue_t, FreedBy<rd_kafka_queue_destroy>>;

std::optional<bool> MayWrite(const rd_kafka_TopicDescription_t* topic) {
  size_t count = 0;
  const rd_kafka_AclOperation_t* const operations =
      rd_kafka_TopicDescription_authorized_operations(topic, &count);
  if (operations == nullptr) return std::nullopt;
  return std::find(operations, operations + count, RD_KAFKA_ACL_OPERATION_WRITE) !=
         operations + count;
}

size_t FewestReplicas(const rd_kafka_TopicDescription_t* topic) {
  size_t partitions = 0;
  const rd_kafka_TopicPartitionInfo_t** const all =
      rd_kafka_TopicDescription_partitions(topic, &partitions);
  size_t fewest = 0;
  for (size_t i = 0; i < partitions; ++i) {
    size_t replicas = 0;
    rd_kafka_TopicPartitionInfo_replicas(all[i], &replicas);
    fewest = i == 0 ? replicas : std::min(fewest, replicas);
  }
  return fewest;
}

TopicDescription LookOf(const rd_kafka_TopicDescription_t* topic) {
  const char* const name = rd_kafka_TopicDescription_name(topic);
  const rd_kafka_error_t* const error = rd_kafka_TopicDescription_error(topic);
  if (error == nullptr || rd_kafka_error_code(error) == RD_KAFKA_RESP_ERR_NO_ERROR)
    return {.name = name,
            .status = absl::OkStatus(),
            .may_write = MayWrite(topic),
            .replicas = FewestReplicas(topic)};
  return {.name = name,
          .status = KafkaError(rd_kafka_error_code(error), absl::StrCat("topic ", name),
                               rd_kafka_error_string(error))};
}

}  // namespace

std::vector<TopicDescription> DescribeTopics(Client& client, const std::vector<std::string>& topics,
                                             absl::Duration timeout) {
  std::vector<const char*> names;
  for (const std::string& topic : topics) names.push_back(topic.c_str());
  const CollectionPtr asked(rd_kafka_TopicCollection_of_topic_names(names.data(), names.size()));
  const AdminOptionsPtr options =
      MakeAdminOptions(client, RD_KAFKA_ADMIN_OP_DESCRIBETOPICS, timeout);
  if (rd_kafka_error_t* const refused =
          rd_kafka_AdminOptions_set_include_authorized_operations(options.get(), 1))
    rd_kafka_error_destroy(refused);
  const QueuePtr answers(rd_kafka_queue_new(client.handle()));
  rd_kafka_DescribeTopics(client.handle(), asked.get(), options.get(), answers.get());
  const EventPtr event(rd_kafka_queue_poll(answers.get(), ToMilliseconds(timeout)));
  std::vector<TopicDescription> looks;
  if (event == nullptr || rd_kafka_event_error(event.get()) != RD_KAFKA_RESP_ERR_NO_ERROR)
    return looks;
  size_t count = 0;
  const rd_kafka_TopicDescription_t** const found = rd_kafka_DescribeTopics_result_topics(
      rd_kafka_event_DescribeTopics_result(event.get()), &count);
  for (size_t i = 0; i < count; ++i) looks.push_back(LookOf(found[i]));
  return looks;
}

std::optional<std::string> ReadBrokerProperty(Client& client, const std::string& name,
                                              absl::Duration timeout) {
  const int32_t controller = rd_kafka_controllerid(client.handle(), ToMilliseconds(timeout));
  if (controller < 0) return std::nullopt;
  const ResourcePtr asked(
      rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_BROKER, absl::StrCat(controller).c_str()));
  const AdminOptionsPtr options =
      MakeAdminOptions(client, RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS, timeout);
  const QueuePtr answers(rd_kafka_queue_new(client.handle()));
  rd_kafka_ConfigResource_t* resources[] = {asked.get()};
  rd_kafka_DescribeConfigs(client.handle(), resources, 1, options.get(), answers.get());
  const EventPtr event(rd_kafka_queue_poll(answers.get(), ToMilliseconds(timeout)));
  if (event == nullptr || rd_kafka_event_error(event.get()) != RD_KAFKA_RESP_ERR_NO_ERROR)
    return std::nullopt;
  size_t count = 0;
  const rd_kafka_ConfigResource_t** const found = rd_kafka_DescribeConfigs_result_resources(
      rd_kafka_event_DescribeConfigs_result(event.get()), &count);
  return count == 1 ? PropertyOf(*found[0], name) : std::nullopt;
}

}  // namespace walduct::kafka
