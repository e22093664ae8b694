// TopicFollower: reads topics from their first records on and goes on as they are written, all
// partitions, committed records only. It is no member of a group, and recovers from broken
// connections by itself.
//
// Thread-safety: any thread; the handler is called by one of its own.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "kafka/client.h"
#include "kafka/look/topic_stream.h"
#include "kafka/properties.h"

struct rd_kafka_topic_partition_list_s;

namespace walduct::kafka {

class TopicFollower {
 public:
  // In order within a partition. caught_up: the topic was read to what was its end when the
  // following began; also told without a record, when the end is there.
  struct Told {
    absl::string_view topic;
    const TopicRecord* record = nullptr;  // null: the end is there
    bool caught_up = false;
  };
  using Handler = std::function<void(const Told& told)>;
  struct Options {
    std::string bootstrap_servers;
    Properties java;  // of a consumer
    std::vector<std::string> topics;
    absl::Duration timeout;  // to learn what partitions there are
  };
  // Unavailable broker_unavailable; FailedPrecondition topic_missing; others as KafkaError.
  static absl::StatusOr<std::unique_ptr<TopicFollower>> Begin(const Options& options,
                                                              Handler handler);
  ~TopicFollower();
  TopicFollower(const TopicFollower&) = delete;
  TopicFollower& operator=(const TopicFollower&) = delete;

 private:
  TopicFollower(Client client, Handler handler)
      : client_(std::move(client)), handler_(std::move(handler)) {}
  absl::Status Assign(const Options& options);
  void AskForEnds(rd_kafka_topic_partition_list_s* assigned);
  void Reach(absl::string_view topic, int32_t partition, int64_t next);
  void Run();

  Client client_;
  const Handler handler_;
  // Partitions that were not read to their ends yet, and these, as far as the brokers have told
  // them; by topic.
  std::map<std::string, std::map<int32_t, int64_t>, std::less<>> behind_;
  std::atomic<bool> ends_{false};
  std::thread thread_;
};

}  // namespace walduct::kafka
