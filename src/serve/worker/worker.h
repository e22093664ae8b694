// Worker: the connectors of a worker's topics, and what runs of them. Whatever is asked for is
// written to the topics first (Deployments), then a thread of its own brings about what they say
// (Runner) and says what became of it (Statuses). Which connectors are its own the assignment says.
//
// Thread-safety: all methods from any thread. What changes something waits for Kafka.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "base/wake.h"
#include "serve/topics/config_map.h"
#include "serve/worker/deployments.h"
#include "serve/worker/runner.h"
#include "serve/worker/statuses.h"
#include "serve/worker/views.h"

namespace walduct::serve {

class Worker {
 public:
  using Parts = WorkerParts;
  explicit Worker(Parts parts);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Reads the topics, once before what they say is run, and again after Forget; ReadAhead and Open.
  absl::Status Load();
  absl::Status ReadAhead();
  // What was read is run from now on.
  void Open();
  // Another worker runs them from now on: nothing is to run here.
  void Forget();
  // Runs what they say until Stop, which leaves the connectors running.
  void Start();
  void Stop();
  // The connectors have ended: says so in the status topic.
  void Leave();
  // One look at all connectors; by the thread, and by tests.
  void Reconcile() { Look(/*all=*/true); }
  // Grows with whatever may change Weights.
  uint64_t changes() const { return changes_; }

  // What others write into the topics, as it comes: a configuration, which is read again; a state.
  void FollowConfigs(absl::string_view key, std::optional<absl::string_view> value);
  void FollowRestart(const std::string& name, absl::string_view value);
  void FollowSession(std::optional<absl::string_view> value, bool news);
  void FollowStatus(absl::string_view key, std::optional<absl::string_view> value);
  // Lanes by connector; absent: they are not known now.
  std::optional<std::map<std::string, int>> Weights() const;
  const Assignment& assignment() const { return *parts_.assignment; }

  std::vector<std::string> Names() const { return deployments_.Names(); }
  // Absent: there is none.
  std::optional<ConnectorView> Find(const std::string& name) const;
  // Null: nothing of it runs here.
  std::shared_ptr<const engine::ConnectorOptions> RunningOf(const std::string& name) const {
    return runner_.OptionsOf(name);
  }
  // Whether it is to run here, as it is configured now, and has not begun.
  bool Begins(const std::string& name) const;
  // Whether that became so within the time; false at once where the worker stops.
  bool Await(const std::function<bool()>& is_so, absl::Duration patience) const;
  // The same as RunningOf, which is waited for as long as it begins.
  std::shared_ptr<const engine::ConnectorOptions> AwaitRunning(const std::string& name,
                                                               absl::Duration patience) const;
  std::optional<Runner::Failure> FailureOf(const std::string& name) const {
    return runner_.FailureOf(name);
  }
  std::optional<StatusView> StatusOf(const std::string& name) const { return statuses_.Find(name); }
  // Of its configuration, another one whenever that changes. Absent: it is not there, or foreign.
  std::optional<uint64_t> VersionOf(const std::string& name) const {
    const std::optional<Deployments::Wanted> wanted = deployments_.WantedOf(name);
    return wanted ? std::optional(wanted->version) : std::nullopt;
  }

  // AlreadyExists.
  absl::Status Create(const std::string& name, const ConfigMap& config, TargetState target);
  // True: there was none before. expects: it has to be there; NotFound. made_of: the version that
  // config was made of; Aborted where another one is there now.
  absl::StatusOr<bool> PutConfig(const std::string& name, const ConfigMap& config, bool expects,
                                 std::optional<uint64_t> made_of = std::nullopt);
  // All three: NotFound.
  absl::Status SetTarget(const std::string& name, TargetState target);
  absl::Status Delete(const std::string& name);
  absl::Status RestartTask(const std::string& name, const std::string& task);
  // NotFound; what restarts is shown as RESTARTING.
  absl::StatusOr<StatusView> Restart(const std::string& name, bool include_tasks, bool only_failed);

  // Topics that got records since the last reset.
  std::set<std::string> TopicsOf(const std::string& name) const { return statuses_.TopicsOf(name); }
  absl::Status ResetTopics(const std::string& name);

  // Runs change while nothing else can change this connector, which has to be stopped and to have
  // ended. NotFound, FailedPrecondition.
  // also_paused: a paused one will do, which is ended for it and stays paused.
  absl::Status WhileStopped(const std::string& name, const std::function<absl::Status()>& change,
                            bool also_paused = false);

  // Runs change while nothing else can change this connector, which has to have failed; then
  // restarts it. NotFound, FailedPrecondition.
  absl::Status WhileFailed(
      const std::string& name,
      const std::function<absl::Status(const engine::ConnectorError& last)>& change);

  // Unavailable kafka_away: what is asked of the topics would not be answered.
  absl::Status CheckReachable() const;

  // What keeps the topics from being read or written: worker_topic_gone, as reading fails; or the
  // next start from serving: internal_topic_not_compacted. OK: nothing that is known.
  absl::Status TopicsTrouble() const;

  // Slots of a server that other connectors are to read, whether they can be loaded or not, and
  // wherever they run.
  std::set<std::string> SlotsOfOthers(const std::string& name, const std::string& server) const;

  // Publications of a database of that name that configurations of other connectors name, whether
  // they can be loaded or not; also in lower case, as a name may be folded.
  std::set<std::string> PublicationsOfOthers(const std::string& name,
                                             const std::string& database) const;

  // Levels that were set for all workers, as the topics had them.
  std::map<std::string, std::string> LoggerLevels() const { return deployments_.LoggerLevels(); }
  // What workers sign with is written anew where it is due and this worker leads.
  absl::Status RenewSession();
  absl::Status WriteLogger(const std::string& logger, const std::string& level);

 private:
  void Run();
  // all: at each connector; else at those that have something to do still, unless there is reason
  // to look at all.
  void Look(bool all);
  // The thread is to look at all connectors, and others at what there is.
  void LookAgain();
  bool CommitTask(const std::string& name);
  std::vector<engine::SlotAddress> SlotsOf(const std::string& name, const ConfigMap& config) const;
  // Other connectors, run where and as they may, that read the slot of this one: "b, c".
  std::string SharersOf(const std::string& name, const ConfigMap& config) const;
  void WarnOfSharers(const std::string& name, const ConfigMap& config) const;
  void RestartNow(const std::string& name);
  absl::Status Refresh() ABSL_EXCLUSIVE_LOCKS_REQUIRED(deployments_.changing());
  absl::Status ReadAgain() ABSL_EXCLUSIVE_LOCKS_REQUIRED(deployments_.changing());
  absl::Status RefreshFor(const std::string& name)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(deployments_.changing());
  absl::Status CheckMayAct(const std::string& name) const;
  void LookWhetherTopicsAreThere();
  bool MayMakeTopics() const;
  void LookWhetherTheyAreStale();
  bool IsNewsDue();
  void LookAtSession();
  void TakeSession(const std::optional<std::string>& value);
  bool IsLeadersReadingDue();

  const Parts parts_;
  Wake wake_;
  Deployments deployments_;
  Runner runner_;
  Statuses statuses_;
  std::atomic<uint64_t> news_{0};              // of configurations, told
  std::atomic<uint64_t> news_read_{0};         // of these, when the topics were read
  std::atomic<uint64_t> generation_{0};        // of the assignment, when the topics were read
  absl::Duration next_look_ = {};              // at the topics; by the thread alone
  absl::Duration next_news_ = {};              // that are read; by the thread alone
  std::optional<absl::Duration> leads_since_;  // and has not read since; by the thread alone
  mutable Mutex mutex_;
  absl::Status settings_trouble_ ABSL_GUARDED_BY(mutex_);  // of the last look at the topics
  std::optional<absl::Duration> gone_since_ ABSL_GUARDED_BY(mutex_);  // a topic; by the same looks
  std::atomic<bool> ends_{false};
  std::atomic<uint64_t> changes_{0};
  // What the thread knew when it looked at all connectors last.
  struct Seen {
    uint64_t changes = 0, generation = 0;
    bool confirmed = false, leased = false;
    bool operator==(const Seen&) const = default;
  };
  Seen seen_;
  absl::Duration next_all_ = {};
  std::set<std::string> waiting_;  // to begin
  std::thread thread_;
};

}  // namespace walduct::serve
