// WorkerBoard: whether a worker serves its connectors and what it waits for, for pages, commands
// and refusals. Written when something changes.
//
// Thread-safety: any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "admin/group_view.h"
#include "base/clock.h"
#include "base/mutex.h"

namespace walduct::admin {

enum class WorkerWait {
  kNothing,
  kTopics,  // its own topics: to be created, or read
  kKafka,   // to answer
  kGroup,   // Kafka gives the group's seat to nobody yet, or not back yet
  kSeat,    // another worker has it: this one stands by
};
absl::string_view WaitWord(WorkerWait wait);  // a stable word for labels: "kafka"; empty: nothing

// What may be wrong with it though it serves.
struct WorkerWarning {
  std::string reason, message, hint;
};

struct WorkerView {
  std::string group;
  // Its connectors run as far as they can, also while it waits; else there are none of its.
  bool serves = false;
  absl::Time serves_since;  // when that changed
  WorkerWait wait = WorkerWait::kNothing;
  absl::Time wait_since;
  std::string message;  // "for Kafka at kafka:9092: …"; empty: it waits for nothing
  std::string hint;     // may be empty
  std::optional<GroupView> shares = {};  // of a group that shares its connectors
  std::optional<WorkerWarning> warning = {};
  std::map<std::string, uint64_t> refused = {};  // requests of other workers, by why

  // "waits for Kafka at kafka:9092: …, since 2026-01-01T00:00:00Z"; empty: for nothing.
  std::string Text() const;
};

class WorkerBoard {
 public:
  // clock is borrowed.
  WorkerBoard(std::string group, Clock& clock);

  // since counts where the wait is another one than before.
  void Show(bool serves, WorkerWait wait, absl::Time since, std::string message,
            std::string hint = "");
  void ShowServing();
  // Until it is shown anew; absent: there is none.
  void ShowWarning(std::optional<WorkerWarning> warning);
  // A request that is not signed as other workers sign theirs.
  void CountRefused(absl::string_view why);
  WorkerView Read() const;
  // Before all other calls.
  void ShowGroup(std::function<GroupView()> group) { group_ = std::move(group); }

 private:
  Clock& clock_;
  std::function<GroupView()> group_;
  mutable Mutex mutex_;
  WorkerView view_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace walduct::admin
