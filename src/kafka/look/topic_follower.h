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
#include <set>
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

namespace walduct::kafka {

class TopicFollower {
 public:
  // In order within a partition. caught_up: the topic was read to its end once; also told without a
  // record, when the end is there.
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
  void Run();

  Client client_;
  const Handler handler_;
  std::map<std::string, std::set<int32_t>, std::less<>> behind_;  // partitions, by topic
  std::atomic<bool> ends_{false};
  std::thread thread_;
};

}  // namespace walduct::kafka
