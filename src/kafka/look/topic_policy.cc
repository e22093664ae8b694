#include "kafka/look/topic_policy.h"

#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "base/freed_by.h"
#include "kafka/admin_request.h"

namespace walduct::kafka {
namespace {

using QueuePtr = std::unique_ptr<rd_kafka_queue_t, FreedBy<rd_kafka_queue_destroy>>;
using TopicPtr = std::unique_ptr<rd_kafka_topic_t, FreedBy<rd_kafka_topic_destroy>>;

}  // namespace

std::optional<std::string> ReadTopicProperty(Client& client, const std::string& topic,
                                             const std::string& name, absl::Duration timeout) {
  return ReadTopicProperties(client, {topic}, name, timeout).front();
}

std::vector<std::optional<std::string>> ReadTopicProperties(Client& client,
                                                            const std::vector<std::string>& topics,
                                                            const std::string& name,
                                                            absl::Duration timeout) {
  std::vector<std::optional<std::string>> values(topics.size());
  std::vector<ResourcePtr> owned;
  std::vector<rd_kafka_ConfigResource_t*> asked;
  for (const std::string& topic : topics) {
    owned.emplace_back(rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, topic.c_str()));
    asked.push_back(owned.back().get());
  }
  const AdminOptionsPtr options =
      MakeAdminOptions(client, RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS, timeout);
  const QueuePtr answers(rd_kafka_queue_new(client.handle()));
  rd_kafka_DescribeConfigs(client.handle(), asked.data(), asked.size(), options.get(),
                           answers.get());
  const EventPtr event(rd_kafka_queue_poll(answers.get(), ToMilliseconds(timeout)));
  if (event == nullptr || rd_kafka_event_error(event.get()) != RD_KAFKA_RESP_ERR_NO_ERROR)
    return values;
  size_t count = 0;
  const rd_kafka_ConfigResource_t** found = rd_kafka_DescribeConfigs_result_resources(
      rd_kafka_event_DescribeConfigs_result(event.get()), &count);
  for (size_t i = 0; i < count; ++i) {
    const auto topic =
        std::find(topics.begin(), topics.end(), rd_kafka_ConfigResource_name(found[i]));
    if (topic == topics.end()) continue;
    values[static_cast<size_t>(topic - topics.begin())] = PropertyOf(*found[i], name);
  }
  return values;
}

std::optional<Replication> ReadReplication(Client& client, const std::string& topic,
                                           absl::Duration timeout) {
  const TopicPtr handle(rd_kafka_topic_new(client.handle(), topic.c_str(), nullptr));
  const rd_kafka_metadata_t* metadata = nullptr;
  if (handle == nullptr ||
      rd_kafka_metadata(client.handle(), 0, handle.get(), &metadata, ToMilliseconds(timeout)) !=
          RD_KAFKA_RESP_ERR_NO_ERROR) {
    return std::nullopt;
  }
  std::optional<Replication> replication;
  if (metadata->topic_cnt == 1 && metadata->topics[0].partition_cnt > 0) {
    const rd_kafka_metadata_topic_t& found = metadata->topics[0];
    replication = {.brokers = metadata->broker_cnt,
                   .fewest_replicas = found.partitions[0].replica_cnt};
    for (int i = 1; i < found.partition_cnt; ++i) {
      replication->fewest_replicas =
          std::min(replication->fewest_replicas, found.partitions[i].replica_cnt);
    }
  }
  rd_kafka_metadata_destroy(metadata);
  return replication;
}

}  // namespace walduct::kafka
