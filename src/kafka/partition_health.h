// PartitionHealth: why topics may take no records though their brokers answer: a partition without
// leader, fewer replicas in sync than min.insync.replicas asks for. librdkafka repeats such
// requests for ever and says nothing of it.
//
// Not thread-safe. Uses the threads and connections of a Client that outlives it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "base/wake.h"
#include "kafka/client.h"

struct rd_kafka_op_s;
struct rd_kafka_queue_s;

namespace walduct::kafka {

class PartitionHealth {
 public:
  PartitionHealth(Client* client, Wake* wakeup);
  ~PartitionHealth();
  PartitionHealth(const PartitionHealth&) = delete;
  PartitionHealth& operator=(const PartitionHealth&) = delete;

  // Asks the brokers, unless a question is under way. Poll takes the answers.
  void Ask(const std::vector<std::string>& topics, absl::Duration timeout);
  // now: on a monotonic clock.
  void Poll(absl::Duration now);

  // Whether the brokers have said since then how the partitions are.
  bool answered_since(absl::Duration when) const { return answered_at_ && *answered_at_ >= when; }

  // As of the last answers: "topic orders [2] has no leader"; empty: nothing is wrong, or not
  // known.
  std::string finding() const;

 private:
  void OnTopics(rd_kafka_op_s* event);
  void OnConfigs(rd_kafka_op_s* event);

  Client* client_;
  rd_kafka_queue_s* answers_;  // owned
  int asked_ = 0;              // requests under way
  std::optional<absl::Duration> answered_at_;
  std::vector<std::string> leaderless_;
  // The least replicas in sync of a topic's partitions, and how many it needs.
  std::map<std::string, int> in_sync_, needed_;
};

}  // namespace walduct::kafka
