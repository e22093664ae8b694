// Statuses: what a worker says of its connectors, to clients and in the topic of states: their
// states, and the topics that they write to. In the topic the owner of a connector alone says
// something of it.
//
// Thread-safety: any thread, but for what one thread does.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/mutex.h"
#include "serve/worker/deployments.h"
#include "serve/worker/runner.h"
#include "serve/worker/views.h"

namespace walduct::serve {

class Statuses {
 public:
  Statuses(const WorkerParts& parts, Deployments& deployments, Runner& runner)
      : parts_(parts), deployments_(deployments), runner_(runner) {}

  // Absent: there is none.
  std::optional<StatusView> Find(const std::string& name) const;
  // Topics that got records since the last reset.
  std::set<std::string> TopicsOf(const std::string& name) const;

  // What the topic says, as it comes; what this worker has written itself it knows.
  void Follow(absl::string_view key, std::optional<absl::string_view> value);
  // What is new since the last time goes to the topic. By the one thread.
  void Publish();
  // The connectors have ended: says so.
  void Leave();
  // What begins anew says so, as Connect's does, though it is what it was.
  void Repeat(const std::string& name, bool of_connector, bool of_task);
  // None are known any more, in the topic either. The deployments' changing() is held.
  absl::Status ResetTopics(const std::string& name);

  struct ActiveTopics {
    std::set<std::string> names;
    std::set<std::string> unwritten;  // to be added to them
  };
  // What the topic says.
  struct Contents {
    std::map<std::string, std::string> statuses;  // by key
    std::map<std::string, ActiveTopics> topics;
  };
  absl::StatusOr<Contents> Read();
  // What was not written yet still is to be. again: all is, where the topic has lost everything.
  // What was told by Follow since Read counts, too.
  void Take(Contents contents, bool again = false);

 private:
  using Entries = std::map<std::string, std::string>;
  struct Own {
    StatusView view;
    int64_t generation = 0;
    bool operator==(const Own&) const = default;
  };
  StatusView ElsewhereView(const std::string& name, const Deployment& one,
                           const Assignment::Elsewhere& where) const;
  void FollowNow(const TopicEntry& entry) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void AddLeaving(std::map<std::string, std::string>* entries) const;
  StatusView ViewOf(const std::string& name, const Deployment& one) const;
  std::vector<Own> OwnViews() const;
  Entries EntriesOf(const std::vector<Own>& views) const;
  bool TakeChanged();
  void Write(const Entries& entries);
  void WriteTopics();
  void CollectTopics();
  std::vector<std::pair<std::string, std::string>> NewTopics() const;
  void BeSilent(absl::string_view what, const absl::Status& written);

  const WorkerParts& parts_;
  Deployments& deployments_;
  Runner& runner_;
  mutable Mutex mutex_;
  // As the topic has them, by key; keys that are written again as they are.
  std::map<std::string, std::string> statuses_ ABSL_GUARDED_BY(mutex_);
  std::set<std::string> repeated_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, ActiveTopics> topics_ ABSL_GUARDED_BY(mutex_);
  bool changed_ ABSL_GUARDED_BY(mutex_) = true;  // any of these, since it was written last
  // Keys that are being written, and those of them that others have written meanwhile: whose is
  // the last one is not known, so that they are written again.
  std::set<std::string> writing_ ABSL_GUARDED_BY(mutex_), overtaken_ ABSL_GUARDED_BY(mutex_);
  bool reads_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<TopicEntry> followed_ ABSL_GUARDED_BY(mutex_);  // since Read
  // The one thread's: what was compared with the topic last, and when it is in any case.
  std::vector<Own> published_;
  absl::Duration publish_again_ = absl::ZeroDuration();
};

}  // namespace walduct::serve
