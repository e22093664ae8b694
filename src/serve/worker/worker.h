// Worker: the connectors of a worker's topics, and what runs of them. Whatever is asked for is
// written to the topics first, then a thread of its own brings about what they say, connector by
// connector: one that is slow to stop, or cannot be started, holds up no other.
//
// Connectors of other classes are listed and left alone.
//
// Thread-safety: all methods from any thread. What changes something waits for Kafka.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "base/environment.h"
#include "base/mutex.h"
#include "base/wake.h"
#include "engine/lifecycle/connectors.h"
#include "serve/topics/config_map.h"
#include "serve/topics/internal_topics.h"
#include "serve/topics/topic_formats.h"
#include "serve/worker/connector_loader.h"
#include "serve/worker/views.h"

namespace walduct::serve {

class Worker {
 public:
  // All borrowed.
  struct Parts {
    InternalTopics* topics = nullptr;
    engine::Connectors* connectors = nullptr;
    Environment environment;
    std::string worker_id;
    std::string version;  // of the connectors
    const ConnectorLoader* loader = nullptr;
    // OK, or why this worker may not write now, as a request is answered then: Unavailable
    // kafka_away, Aborted. While it is not OK another one may have written, so the topics are read
    // again once it is.
    std::function<absl::Status()> may_write;
  };
  explicit Worker(Parts parts) : parts_(std::move(parts)) {}
  ~Worker() { Stop(); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // Reads the topics: once before what they say is run, and again after Forget.
  absl::Status Load();
  // Another worker runs them from now on: nothing is to run here.
  void Forget();
  // Runs what they say until Stop, which leaves the connectors running.
  void Start();
  void Stop();
  // The connectors have ended: says so in the status topic.
  void Leave();
  // One look at all connectors; by the thread, and by tests.
  void Reconcile();

  std::vector<std::string> Names() const;
  // Absent: there is none.
  std::optional<ConnectorView> Find(const std::string& name) const;
  std::optional<StatusView> StatusOf(const std::string& name) const;

  // AlreadyExists.
  absl::Status Create(const std::string& name, const ConfigMap& config, TargetState target);
  // True: there was none before. expects: it has to be there; NotFound.
  absl::StatusOr<bool> PutConfig(const std::string& name, const ConfigMap& config, bool expects);
  // All three: NotFound.
  absl::Status SetTarget(const std::string& name, TargetState target);
  absl::Status Delete(const std::string& name);
  absl::Status RestartTask(const std::string& name, const std::string& task);
  // NotFound; what restarts is shown as RESTARTING.
  absl::StatusOr<StatusView> Restart(const std::string& name, bool include_tasks, bool only_failed);

  // Topics that got records since the last reset.
  std::set<std::string> TopicsOf(const std::string& name) const;
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
  absl::Status CheckReachable() const {
    const absl::Status may_write = parts_.may_write();
    return absl::IsUnavailable(may_write) ? may_write : absl::OkStatus();
  }

  // What keeps the topics from being read or written: worker_topic_gone, as reading fails; OK:
  // nothing that is known.
  absl::Status TopicsTrouble() const {
    const MutexLock lock(mutex_);
    return trouble_;
  }

  // Levels that were set for all workers, as the topics had them.
  std::map<std::string, std::string> LoggerLevels() const;
  // key: 32 random bytes.
  absl::Status WriteSession(absl::string_view key);
  absl::Status WriteLogger(const std::string& logger, const std::string& level);

 private:
  struct Deployment {
    ConfigMap config;
    TargetState target = TargetState::kStarted;
    int tasks = 0;           // committed
    uint64_t version = 0;    // of the configuration
    uint64_t committed = 0;  // version that the tasks are of
    uint64_t failed = 0;     // version that could not be loaded
    std::string failure;     // why
    bool restart = false;    // of the task, wanted
  };
  struct Running {
    uint64_t version = 0;
    TargetState commanded = TargetState::kStarted;
    bool stopping = false;
    std::shared_ptr<metrics::TopicBoard> topics;
  };
  struct ActiveTopics {
    std::set<std::string> names;
    std::set<std::string> unwritten;  // to be added to them
  };

  struct NewTopic {
    std::string connector;
    std::string topic;
  };

  // What the topics say.
  struct Contents {
    std::map<std::string, Deployment> deployments;  // with versions of their own
    std::map<std::string, ActiveTopics> topics;
    std::map<std::string, std::string> statuses;
    std::map<std::string, std::string> loggers;
    uint64_t configs = 0;  // records of the config topic
  };

  static bool IsForeign(const Deployment& one);
  void Run();
  void Look();
  void Step(const std::string& name);
  bool StepRunning(const std::string& name, bool ended);
  void StartOne(const std::string& name, const Deployment& one);
  absl::Status CommitTask(const std::string& name, const Deployment& one);
  void Fail(const std::string& name, uint64_t version, const std::vector<std::string>& errors);
  void WriteTopics();
  void TakeTopics();
  std::vector<NewTopic> NewTopics() const;
  void BeSilent(absl::string_view what, const absl::Status& written)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::map<std::string, std::string> StatusEntries() const;
  void WriteStatuses(const std::map<std::string, std::string>& entries);
  StatusView ViewOf(const std::string& name, const Deployment& one) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::optional<TaskView> TaskOf(const std::string& name, const Deployment& one) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::StatusOr<Deployment*> FindOwn(const std::string& name)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void RepeatStatus(const std::string& name, bool of_connector, bool of_task)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status CheckMayWrite() const;
  absl::Status WriteConfigs(const std::vector<TopicEntry>& entries);
  absl::StatusOr<Contents> ReadTopics();
  static void ReadConfig(absl::string_view key, std::optional<absl::string_view> value,
                         Contents* out);
  static void ReadStatus(absl::string_view key, std::optional<absl::string_view> value,
                         Contents* out);
  void Take(Contents contents) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status Refresh() ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);
  void LookWhetherItMayWrite();
  void LookWhetherTopicsAreThere();
  void OnTopicGone(const absl::Status& gone);
  std::vector<TopicEntry> ConfigEntries() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status BringBack(Contents* contents) ABSL_EXCLUSIVE_LOCKS_REQUIRED(change_mutex_);

  const Parts parts_;
  Wake wake_;
  // Held by what changes something, while it waits for Kafka.
  Mutex change_mutex_ ABSL_ACQUIRED_BEFORE(mutex_);
  mutable Mutex mutex_;
  std::map<std::string, Deployment> deployments_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, Running> running_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, ActiveTopics> topics_ ABSL_GUARDED_BY(mutex_);
  // As the topic has them, by key; keys that are written again as they are.
  std::map<std::string, std::string> statuses_ ABSL_GUARDED_BY(mutex_);
  std::set<std::string> repeated_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, std::string> loggers_ ABSL_GUARDED_BY(mutex_);
  uint64_t next_version_ ABSL_GUARDED_BY(mutex_) = 1;
  bool loaded_ ABSL_GUARDED_BY(mutex_) = false;
  // The topics may say something else: they are read before the next write.
  bool stale_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status trouble_ ABSL_GUARDED_BY(mutex_);  // of the topics, as they were looked at last
  bool ends_ ABSL_GUARDED_BY(mutex_) = false;
  // The status topic could not be written.
  absl::Time silent_until_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  absl::Duration next_look_ = {};  // at the topics; by the thread alone
  std::thread thread_;
};

}  // namespace walduct::serve
