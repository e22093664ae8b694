// Runner: makes what runs here follow what is wanted and what is owned, connector by connector: one
// that is slow to stop, or cannot be started, holds up no other. A revocation is complete once
// nothing runs of what it took.
//
// Thread-safety: any thread, but for what one thread does.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "serve/worker/deployments.h"
#include "serve/worker/views.h"

namespace walduct::serve {

class Runner {
 public:
  Runner(const WorkerParts& parts, const Deployments& deployments)
      : parts_(parts), deployments_(deployments) {}

  // By the one thread. Names of what runs, or has ended and is not removed yet.
  std::set<std::string> Names() const;
  // Brings what runs under a name nearer to what is wanted. True: nothing does, and one is to begin
  // wherever it is owned.
  bool Step(const std::string& name);
  // Begins it, as it is wanted now.
  void Begin(const std::string& name);
  // Calls what Revoke was given, once nothing runs that is not owned; all: nothing runs at all.
  void CompleteRevocations(bool all = false);

  // What Assignment::OnRevoke hands over. Any thread, as all that follows.
  void Revoke(Assignment::Done done);

  // The task begins anew at the next look, also one that could not be loaded.
  void Restart(const std::string& name);
  bool restarts(const std::string& name) const;
  // What could not be loaded is tried again once it is wanted again.
  void Forgive(const std::string& name);
  // Whether nothing runs; ends: what runs is told to end.
  bool HasEnded(const std::string& name, bool ends);

  // What it runs by, and is to go on running by; null: nothing of it does.
  std::shared_ptr<const engine::ConnectorOptions> OptionsOf(const std::string& name) const;
  std::optional<TaskView> TaskOf(const std::string& name, const Deployment& one) const;
  // Why it does not run, as it is wanted: it could not be loaded. Absent: nothing was refused.
  struct Failure {
    uint64_t version = 0;
    std::string why;
    absl::Time at;
  };
  std::optional<Failure> FailureOf(const std::string& name) const;
  // The topics that running connectors have written to since the last call: {connector, topic}.
  std::vector<std::pair<std::string, std::string>> TakeTopics();

 private:
  struct Running {
    uint64_t version = 0;
    TargetState commanded = TargetState::kStarted;
    bool stopping = false;
    std::shared_ptr<metrics::TopicBoard> topics;
    std::shared_ptr<const engine::ConnectorOptions> options;
  };
  bool StepRunning(const std::string& name, bool ended);
  void Fail(const std::string& name, uint64_t version, const std::vector<std::string>& errors);

  const WorkerParts& parts_;
  const Deployments& deployments_;
  mutable Mutex mutex_;
  std::map<std::string, Running> running_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, Failure> failures_ ABSL_GUARDED_BY(mutex_);
  std::set<std::string> restarts_ ABSL_GUARDED_BY(mutex_);  // of the task, wanted
  std::vector<Assignment::Done> revocations_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace walduct::serve
