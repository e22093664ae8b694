// Deployments: which connectors are wanted, as the topic of configurations says it, and what keeps
// that topic from being read or written. A change is in the topic before it is here.
//
// Connectors of other classes are listed and left alone.
//
// Thread-safety: any thread; what changes something holds changing().
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/mutex.h"
#include "serve/topics/config_map.h"
#include "serve/topics/topic_formats.h"
#include "serve/worker/worker_parts.h"

namespace walduct::serve {

struct Deployment {
  ConfigMap config;     // by Configure
  bool foreign = true;  // of a class that is not run here
  TargetState target = TargetState::kStarted;
  int tasks = 0;           // committed
  uint64_t version = 0;    // of the configuration
  uint64_t committed = 0;  // version that the tasks are of

  // The class is looked for here, not whenever somebody asks.
  void Configure(ConfigMap now);
};

class Deployments {
 public:
  explicit Deployments(const WorkerParts& parts) : parts_(parts) {}

  std::vector<std::string> Names() const;
  // False: there is none. visit must not ask for others.
  bool Visit(const std::string& name, const std::function<void(const Deployment&)>& visit) const;
  void VisitAll(const std::function<void(const std::string&, const Deployment&)>& visit) const;
  std::optional<Deployment> Find(const std::string& name) const;
  // OK: it is there, and of our class. NotFound, FailedPrecondition.
  absl::Status CheckOwn(const std::string& name) const;
  // What is to run of it; absent: it is not there, or of another class.
  struct Wanted {
    TargetState target = TargetState::kStarted;
    uint64_t version = 0;
    bool committed = false;  // its task is, in this version
  };
  std::optional<Wanted> WantedOf(const std::string& name) const;
  // Levels that were set for all workers.
  std::map<std::string, std::string> LoggerLevels() const;

  // Held by what changes something, while it waits for Kafka.
  Mutex& changing() ABSL_LOCK_RETURNED(changing_) { return changing_; }

  // Written, then so. Create: there is none of the name, and its target is written first: who reads
  // the connector alone would start it.
  absl::Status Create(const std::string& name, const ConfigMap& config, TargetState target)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(changing_);
  // The other ones: it is there. True: the configuration is another one.
  absl::StatusOr<bool> SetConfig(const std::string& name, const ConfigMap& config)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(changing_);
  absl::Status SetTarget(const std::string& name, TargetState target)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(changing_);
  // Task configurations count once they are committed.
  absl::Status CommitTask(const std::string& name) ABSL_EXCLUSIVE_LOCKS_REQUIRED(changing_);
  absl::Status Delete(const std::string& name) ABSL_EXCLUSIVE_LOCKS_REQUIRED(changing_);
  absl::Status Write(const std::vector<TopicEntry>& entries);
  // What any worker may write of a group that shares its connectors: of no connector.
  absl::Status WriteAsMember(const std::vector<TopicEntry>& entries);
  // Whether a record that came is one that was written here. Each is asked for once, in order.
  bool IsOwn(absl::string_view key, std::optional<absl::string_view> value);
  // OK, or why nothing may be written now.
  absl::Status CheckMayWrite() const;

  struct Contents {
    std::map<std::string, Deployment> all;  // with versions of their own
    std::map<std::string, std::string> loggers;
    std::optional<std::string> session;  // value of the last session-key
    uint64_t records = 0;
    // There are some of connectors, be it of those that were deleted. Who runs what, levels of
    // loggers and the like may be written into a topic that has just been made anew.
    bool of_connectors = false;
  };
  absl::StatusOr<Contents> Read() const;
  // What is known here is written into a topic that has lost everything, and read again.
  // *lost: so it was.
  absl::Status BringBack(Contents* contents, bool* lost) const;
  // What is the same as it was keeps its version.
  void Take(Contents contents);

  // They were read, and not forgotten.
  bool loaded() const;
  void BeLoaded(bool loaded);
  // The topics may say something else: they are read before the next write.
  bool stale() const;
  void BeStale(const absl::Status& trouble = absl::OkStatus());
  // What is wrong with the topics, as they were looked at last.
  absl::Status trouble() const;
  // Kafka did not do it: nothing is tried for a moment.
  bool silent() const;
  void BeSilent();

 private:
  absl::Status Put(const std::vector<TopicEntry>& entries);
  void NoteOwn(const std::vector<TopicEntry>& entries);
  void ForgetOwn();
  static void ReadRecord(absl::string_view key, std::optional<absl::string_view> value,
                         Contents* out);
  std::vector<TopicEntry> Entries() const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const WorkerParts& parts_;
  Mutex changing_ ABSL_ACQUIRED_BEFORE(mutex_);
  mutable Mutex mutex_;
  std::map<std::string, Deployment> all_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, std::string> loggers_ ABSL_GUARDED_BY(mutex_);
  // Hashes of what was written and has not come back yet, as far as anybody follows.
  std::deque<size_t> own_ ABSL_GUARDED_BY(mutex_);
  uint64_t next_version_ ABSL_GUARDED_BY(mutex_) = 1;
  bool loaded_ ABSL_GUARDED_BY(mutex_) = false;
  bool stale_ ABSL_GUARDED_BY(mutex_) = false;
  absl::Status trouble_ ABSL_GUARDED_BY(mutex_);
  absl::Time silent_until_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
};

}  // namespace walduct::serve
