#include "kafka/partition_health.h"

#include <librdkafka/rdkafka.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "kafka/admin_request.h"

namespace walduct::kafka {
namespace {

constexpr size_t kMaxNamed = 5;

}  // namespace

PartitionHealth::PartitionHealth(Client* client, Wake* wakeup)
    : client_(client), answers_(rd_kafka_queue_new(client->handle())) {
  if (wakeup != nullptr) SignalWhenFilled(answers_, *wakeup);
}

PartitionHealth::~PartitionHealth() {
  rd_kafka_queue_io_event_enable(answers_, -1, nullptr, 0);
  rd_kafka_queue_destroy(answers_);
}

void PartitionHealth::Ask(const std::vector<std::string>& topics, absl::Duration timeout) {
  if (asked_ > 0 || topics.empty()) return;
  std::vector<const char*> names;
  std::vector<ResourcePtr> owned;
  std::vector<rd_kafka_ConfigResource_t*> resources;
  for (const std::string& topic : topics) {
    names.push_back(topic.c_str());
    owned.emplace_back(rd_kafka_ConfigResource_new(RD_KAFKA_RESOURCE_TOPIC, topic.c_str()));
    resources.push_back(owned.back().get());
  }
  const CollectionPtr collection(
      rd_kafka_TopicCollection_of_topic_names(names.data(), names.size()));
  rd_kafka_DescribeTopics(
      client_->handle(), collection.get(),
      MakeAdminOptions(*client_, RD_KAFKA_ADMIN_OP_DESCRIBETOPICS, timeout).get(), answers_);
  rd_kafka_DescribeConfigs(
      client_->handle(), resources.data(), resources.size(),
      MakeAdminOptions(*client_, RD_KAFKA_ADMIN_OP_DESCRIBECONFIGS, timeout).get(), answers_);
  asked_ = 2;
}

void PartitionHealth::Poll(absl::Duration now) {
  while (asked_ > 0) {
    const EventPtr event(rd_kafka_queue_poll(answers_, 0));
    if (event == nullptr) return;
    --asked_;
    if (rd_kafka_event_error(event.get()) != RD_KAFKA_RESP_ERR_NO_ERROR) continue;
    if (rd_kafka_event_type(event.get()) == RD_KAFKA_EVENT_DESCRIBETOPICS_RESULT) {
      OnTopics(event.get());
      answered_at_ = now;
    } else {
      OnConfigs(event.get());
    }
  }
}

void PartitionHealth::OnTopics(rd_kafka_op_s* event) {
  size_t count = 0;
  const rd_kafka_TopicDescription_t** topics =
      rd_kafka_DescribeTopics_result_topics(rd_kafka_event_DescribeTopics_result(event), &count);
  leaderless_.clear();
  in_sync_.clear();
  for (size_t i = 0; i < count; ++i) {
    const std::string name = rd_kafka_TopicDescription_name(topics[i]);
    size_t partitions = 0;
    const rd_kafka_TopicPartitionInfo_t** infos =
        rd_kafka_TopicDescription_partitions(topics[i], &partitions);
    for (size_t p = 0; p < partitions; ++p) {
      if (rd_kafka_TopicPartitionInfo_leader(infos[p]) == nullptr)
        leaderless_.push_back(absl::StrCat("topic ", name, " [",
                                           rd_kafka_TopicPartitionInfo_partition(infos[p]),
                                           "] has no leader"));
      size_t in_sync = 0;
      rd_kafka_TopicPartitionInfo_isr(infos[p], &in_sync);
      const auto known = in_sync_.try_emplace(name, static_cast<int>(in_sync)).first;
      known->second = std::min(known->second, static_cast<int>(in_sync));
    }
  }
}

void PartitionHealth::OnConfigs(rd_kafka_op_s* event) {
  size_t count = 0;
  const rd_kafka_ConfigResource_t** resources = rd_kafka_DescribeConfigs_result_resources(
      rd_kafka_event_DescribeConfigs_result(event), &count);
  for (size_t i = 0; i < count; ++i) {
    const std::optional<std::string> value = PropertyOf(*resources[i], "min.insync.replicas");
    if (value) needed_[rd_kafka_ConfigResource_name(resources[i])] = std::atoi(value->c_str());
  }
}

std::string PartitionHealth::finding() const {
  std::vector<std::string> findings = leaderless_;
  for (const auto& [topic, in_sync] : in_sync_) {
    const auto needed = needed_.find(topic);
    if (needed == needed_.end() || in_sync >= needed->second) continue;
    findings.push_back(absl::StrCat("NOT_ENOUGH_REPLICAS: topic ", topic, " has ", in_sync,
                                    " replicas in sync, min.insync.replicas asks for ",
                                    needed->second));
  }
  const size_t more = findings.size() > kMaxNamed ? findings.size() - kMaxNamed : 0;
  findings.resize(findings.size() - more);
  return absl::StrCat(absl::StrJoin(findings, "; "),
                      more > 0 ? absl::StrCat("; ", more, " more") : "");
}

}  // namespace walduct::kafka
