// GroupSeat: the one seat of a consumer group. Whoever has it may work; others wait until it is
// given up or its holder is gone for the session's time. Kafka decides: the seat is the assignment
// of a topic's first partition to a member of the group. Nothing is read and nothing committed.
// The brokers are asked who has it, again and again: seat_view.h says what follows. A member that
// gets no seat which nobody has, or no answer, is made anew from time to time: librdkafka's (2.15)
// may stand still for ever after a coordinator that was silent for a session's time.
//
// A group whose members do not consume (the workers of Kafka Connect) has no seat for us, and ours
// none for them.
//
// Thread-safety: any thread.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/environment.h"
#include "base/mutex.h"
#include "kafka/client.h"
#include "kafka/group/group_timing.h"
#include "kafka/group/seat_view.h"
#include "kafka/properties.h"

struct rd_kafka_group_info;

namespace walduct::kafka {

class GroupSeat {
 public:
  struct Options {
    std::string bootstrap_servers;
    Properties java;  // of a consumer
    std::string group_id;
    std::string topic;  // exists
    Environment environment;
    std::string member = {};  // how others see this one, as its client.id unless java has one
    // Members work beside each other: the session is short, and members are asked for often.
    // client.id is member then.
    bool shares = false;
    GroupTiming timing = {};  // of members that share
    // group.instance.id: who leaves stays a member for the session, and has its part when it is
    // back before that. Empty: a member like others.
    std::string instance = {};
    // What the member knew whose place this one takes; nothing of its seat.
    SeatView known = {};
    // Called when the seat comes or goes, or other members are listed than before; by any thread.
    std::function<void()> on_change = {};
    // The same of what an answer says of this member; returns at once.
    std::function<void(const MemberLease&)> on_listed = {};
    // A member may be about to leave: the brokers are asked more often.
    std::function<bool()> hurries = {};
  };
  // Begins to ask for the seat.
  static absl::StatusOr<std::unique_ptr<GroupSeat>> Ask(const Options& options);

  // Gives it up.
  ~GroupSeat();
  GroupSeat(const GroupSeat&) = delete;
  GroupSeat& operator=(const GroupSeat&) = delete;

  bool held() const { return held_.load(); }
  // Its error: FailedPrecondition group_in_use: the group has members of another kind, or another
  // one of the same instance; group_session_refused: the coordinator does not take the session.
  // Others as KafkaError.
  SeatView Look() const;

 private:
  GroupSeat(const Options& options, Properties properties);
  absl::Status Join();
  std::shared_ptr<Client> client() const;
  void Run();
  bool IsStuck() const;
  void JoinAnew();
  void LookAtAssignment();
  void LookAtMemberId();
  void Changed() const;
  void Interrupt();
  void AskOn();
  absl::Duration UntilNextQuestion() const;
  void AskWhoHasIt();
  bool WasListed() const;
  void TakeMembers(const rd_kafka_group_info& group, absl::Duration asked_at);
  // True: other members than before.
  bool TakeMembersLocked(const rd_kafka_group_info& group, absl::Duration asked_at)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Heard();
  void NotHeard(int code);
  void Leave();
  void OnError(int code, const char* text);

  const std::string bootstrap_servers_;
  const Properties properties_;
  const std::string group_id_;
  const std::string topic_;
  const bool shares_;
  const GroupTiming timing_;
  const std::string instance_;
  const std::function<void()> on_change_;
  const std::function<void(const MemberLease&)> on_listed_;
  const std::function<bool()> hurries_;
  const Environment environment_;
  Clock& clock_;
  std::atomic<bool> held_{false};
  std::atomic<bool> ends_{false};
  mutable Mutex mutex_;
  std::shared_ptr<Client> client_ ABSL_GUARDED_BY(mutex_);  // the member; made anew by Run alone
  absl::Duration joined_ ABSL_GUARDED_BY(mutex_) = {};      // when it was made
  SeatView view_ ABSL_GUARDED_BY(mutex_);                   // but for held
  absl::Duration next_question_ ABSL_GUARDED_BY(mutex_);    // on the monotonic clock
  absl::Duration last_question_ ABSL_GUARDED_BY(mutex_) = {};
  absl::Duration answered_at_ ABSL_GUARDED_BY(mutex_) = {};  // last
  absl::Duration first_trouble_ ABSL_GUARDED_BY(mutex_);  // since the last answer; infinite: none
  // A coordinator that was away may still know a member that this one has been before.
  std::vector<std::string> own_ids_ ABSL_GUARDED_BY(mutex_);
  std::thread thread_;
  std::thread asker_;  // a question blocks
};

}  // namespace walduct::kafka
