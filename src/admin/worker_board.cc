#include "admin/worker_board.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace walduct::admin {

absl::string_view WaitWord(WorkerWait wait) {
  switch (wait) {
    case WorkerWait::kNothing:
      return "";
    case WorkerWait::kTopics:
      return "topics";
    case WorkerWait::kKafka:
      return "kafka";
    case WorkerWait::kGroup:
      return "group";
    case WorkerWait::kSeat:
      return "seat";
  }
  return "";
}

std::string WorkerView::Text() const {
  if (wait == WorkerWait::kNothing) return "";
  return absl::StrCat(
      "waits ", message, ", since ",
      absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::FromUnixSeconds(absl::ToUnixSeconds(wait_since)),
                       absl::UTCTimeZone()));
}

WorkerBoard::WorkerBoard(std::string group, Clock& clock) : clock_(clock) {
  view_.group = std::move(group);
  view_.wait = WorkerWait::kTopics;
  view_.message = "for its topics";
  view_.serves_since = view_.wait_since = clock_.Now();
}

void WorkerBoard::Show(bool serves, WorkerWait wait, absl::Time since, std::string message,
                       std::string hint) {
  const MutexLock lock(mutex_);
  if (std::exchange(view_.serves, serves) != serves) view_.serves_since = clock_.Now();
  if (std::exchange(view_.wait, wait) != wait) view_.wait_since = since;
  view_.message = std::move(message);
  view_.hint = std::move(hint);
}

void WorkerBoard::ShowServing() { Show(true, WorkerWait::kNothing, clock_.Now(), ""); }

void WorkerBoard::ShowWarning(std::optional<WorkerWarning> warning) {
  const MutexLock lock(mutex_);
  view_.warning = std::move(warning);
}

void WorkerBoard::CountRefused(absl::string_view why) {
  const MutexLock lock(mutex_);
  ++view_.refused[std::string(why)];
}

WorkerView WorkerBoard::Read() const {
  std::optional<GroupView> shares;
  if (group_) shares = group_();
  const MutexLock lock(mutex_);
  WorkerView view = view_;
  view.shares = std::move(shares);
  return view;
}

}  // namespace walduct::admin
