// GroupSeat: the one seat of a consumer group. Whoever has it may work; others wait until it is
// given up or its holder is gone for the session's time. Kafka decides: the seat is the assignment
// of a topic's first partition to a member of the group. Nothing is read and nothing committed.
//
// A group whose members do not consume (the workers of Kafka Connect) has no seat for us, and ours
// none for them.
//
// Thread-safety: any thread.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/environment.h"
#include "kafka/client.h"
#include "kafka/properties.h"

namespace walduct::kafka {

class GroupSeat {
 public:
  struct Options {
    std::string bootstrap_servers;
    Properties java;  // of a consumer
    std::string group_id;
    std::string topic;  // exists
    Environment environment;
  };
  // Begins to ask for the seat.
  static absl::StatusOr<std::unique_ptr<GroupSeat>> Ask(const Options& options);
  // Gives it up.
  ~GroupSeat();
  GroupSeat(const GroupSeat&) = delete;
  GroupSeat& operator=(const GroupSeat&) = delete;

  bool held() const { return held_.load(); }
  // Why it will not be given; OK: it is waited for, or held. FailedPrecondition group_in_use: the
  // group has members of another kind. Others as KafkaError.
  absl::Status error() const;

 private:
  GroupSeat(Client client, const Options& options)
      : client_(std::move(client)), group_id_(options.group_id) {}
  void Run();
  void Look();
  void Leave();
  void OnError(int code, const char* text);

  Client client_;
  const std::string group_id_;
  std::atomic<bool> held_{false};
  std::atomic<bool> ends_{false};
  mutable std::mutex mutex_;
  absl::Status error_;  // guarded by mutex_
  std::thread thread_;
};

}  // namespace walduct::kafka
