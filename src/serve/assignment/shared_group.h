// SharedGroup: the assignment of a group whose workers share the connectors. Kafka's coordinator
// says who is a member and who leads (kafka/group/group_seat.h); the leader writes who runs what
// (share_plan.h), and everybody follows that.
//
// A connector that moves is owned by nobody from the moment its old worker reads the plan until
// that one has said in the topic of states that it ended, or is a member no more; or for kHandOver,
// if that one lives and never says so: the slot and its lock keep the two apart. Who is not
// confirmed as a member for a lease (GroupTiming) owns nothing, by its own clock: the coordinator
// gives up a member later than that. A worker that is alone, and was so when a broker answered
// last, goes on as one without a group does.
//
// Without a plan a leader without others owns everything: one worker alone writes none.
//
// Thread-safety: any thread; Turn: one caller.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "admin/group_view.h"
#include "base/environment.h"
#include "base/mutex.h"
#include "kafka/group/group_timing.h"
#include "kafka/group/seat_view.h"
#include "serve/assignment/assignment.h"
#include "serve/assignment/share_plan.h"
#include "serve/topics/internal_topics.h"

namespace walduct::serve {

// "http://host:8083" is worker host:8083.
std::string WorkerOfUrl(absl::string_view url);

class SharedGroup final : public Assignment {
 public:
  // All borrowed.
  struct Parts {
    InternalTopics* topics = nullptr;
    Environment environment;
    std::string group;
    std::string url;  // of this worker: its name among the members
    kafka::GroupTiming timing = {};
    std::function<kafka::SeatView()> view;
    std::function<absl::Status()> confirmed;  // as OneSeat says it
    // The connectors that there are, with their weights; absent: not known now.
    std::function<std::optional<std::map<std::string, int>>()> weights = {};
    // The part of view that says whether this one is a member, without a copy; empty: by view.
    std::function<kafka::MemberLease()> lease = {};
    // Grows with whatever may change the weights, or whether they are known; empty: they may have
    // changed at any time.
    std::function<uint64_t()> changes = {};
    // A worker says that it ends: it leaves the group soon.
    std::function<void()> ends_soon = {};
  };
  explicit SharedGroup(Parts parts) : parts_(std::move(parts)) {}
  static constexpr absl::Duration kHandOver = absl::Minutes(1);

  bool Owns(absl::string_view connector) const override;
  bool HoldsLease() const override;
  absl::Status Confirmed() const override;
  Leader leader() const override;
  bool follows() const override { return true; }
  uint64_t reading() const override { return reading_.load(); }
  bool SpeaksFor(absl::string_view connector) const override;
  std::map<std::string, int64_t> Leaving() const override;
  int64_t GenerationOf(absl::string_view connector) const override;
  std::optional<Elsewhere> WhereIs(absl::string_view connector) const override;
  void TopicWasLost() override;

  // What the topics say, as it comes.
  // news: not what was there before.
  void TakePlan(absl::string_view value, bool news = true);
  void TakeStatus(absl::string_view key, std::optional<absl::string_view> value);
  void BeCaughtUp() {
    caught_up_ = true;
    told_ = true;
  }
  // Looks what has changed; the leader writes the next plan when one is needed.
  void Turn(bool serves);
  // The worker ends, nothing of its own runs any more, and what it ran says so: if it leads, it
  // gives that to the others, who need not wait until one of them leads.
  void HandOver();
  // What is known of the group now.
  admin::GroupView View() const;

 private:
  struct Said {
    std::string state, worker;
    int64_t generation = 0;
  };
  // What Turn goes by, but for what comes with time.
  struct Seen {
    bool serves = false, held = false, listed = false, member = false, confirmed = false;
    std::string holder;
    std::vector<kafka::GroupMember> members;
    uint64_t changes = 0;
    bool operator==(const Seen&) const = default;
  };
  bool IsTurnDue(bool serves, const kafka::SeatView& view);
  struct Unowned {
    absl::Time at;
    absl::Duration since;  // on the monotonic clock
  };
  struct Dropped {
    std::string worker;
    absl::Duration at;
  };
  bool Released(const std::string& name, const Share& share) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Elsewhere PlaceOf(const std::string& name, const kafka::SeatView& view) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void NoteUnowned(const std::string& name, bool unowned) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void TakeOver(const std::string& name, const Share& share) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void NoteDropped(const SharePlan& next) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void NoteMoves(const SharePlan& next) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void LookForNew();
  void Look();
  bool Ends(const std::string& name, const Said& said) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // leaves: this worker is none of those who are given something.
  void WritePlan(const kafka::SeatView& view, bool leaves = false);

  const Parts parts_;
  std::atomic<bool> caught_up_{false};
  std::atomic<uint64_t> reading_{0};
  mutable Mutex mutex_;
  bool serves_ ABSL_GUARDED_BY(mutex_) = false;
  bool leads_ ABSL_GUARDED_BY(mutex_) = false;
  bool all_ ABSL_GUARDED_BY(mutex_) = false;      // alone, without a plan
  bool trusted_ ABSL_GUARDED_BY(mutex_) = false;  // the plan is of a leader that was seen
  SharePlan plan_ ABSL_GUARDED_BY(mutex_);
  bool overwritten_ ABSL_GUARDED_BY(mutex_) = false;   // by a plan that does not count; or lost
  int64_t written_epoch_ ABSL_GUARDED_BY(mutex_) = 0;  // by this worker; may not have come back yet
  absl::Duration write_again_ ABSL_GUARDED_BY(mutex_);
  std::set<std::string, std::less<>> owned_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, Said, std::less<>> said_ ABSL_GUARDED_BY(mutex_);  // by connector
  std::map<std::string, Unowned, std::less<>> unowned_ ABSL_GUARDED_BY(mutex_);
  // Connectors that were waited for long enough, with the epoch of their share.
  std::map<std::string, int64_t, std::less<>> overdue_ ABSL_GUARDED_BY(mutex_);
  // Connectors that the plan has no more, for kHandOver: one of the name may be created again.
  std::map<std::string, Dropped, std::less<>> dropped_ ABSL_GUARDED_BY(mutex_);
  std::deque<admin::GroupMove> moves_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, uint64_t> moved_ ABSL_GUARDED_BY(mutex_);
  Mutex looking_;  // one look at a time
  // Of the one caller of Turn.
  Seen seen_;
  absl::Duration next_turn_ = absl::ZeroDuration();
  std::atomic<bool> told_{true};  // something, since the last turn
};

}  // namespace walduct::serve
