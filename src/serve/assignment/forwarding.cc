#include "serve/assignment/forwarding.h"

#include "absl/strings/str_cat.h"

namespace walduct::serve {

absl::Status CheckLeads(const Assignment& assignment, const std::string& group) {
  absl::Status confirmed = assignment.Confirmed();
  if (absl::IsUnavailable(confirmed)) return confirmed;
  const Assignment::Leader leader = assignment.leader();
  if (leader.self) return confirmed;
  if (!leader.worker.empty()) {
    return absl::AbortedError(absl::StrCat("Cannot complete request because another worker (",
                                           leader.worker, ") serves the group ", group,
                                           ": nothing is changed. Ask that one"));
  }
  if (!confirmed.ok()) return confirmed;
  return absl::AbortedError(absl::StrCat(
      "Cannot complete request because of a conflicting operation (e.g. worker rebalance): the "
      "group ",
      group, " has no leader now. Nothing is changed; ask again in some seconds"));
}

}  // namespace walduct::serve
