// What a standby must be for an initial snapshot to be read there, and whether it shows enough.
// Pure rules over facts.
#pragma once

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/lsn.h"
#include "replication/slot.h"

namespace walduct::slot {

struct StandbyFacts {
  bool in_recovery = false;
  bool paused = false;  // its replay, by somebody
  Lsn replayed;
  replication::SystemIdentity system;
};

// The server of the slot, and where its WAL ended after the slot was made.
struct StandbyNeeds {
  replication::SystemIdentity primary;
  Lsn replayed;
};

// What it has not replayed yet.
struct ReplayLag {
  std::string standby;  // "host:port"
  Lsn needed;
  Lsn replayed;
  bool paused = false;
};
std::string LagText(const ReplayLag& lag);

// Absent: a view that is taken now shows all that was committed before. FailedPrecondition:
//   standby_of_another_cluster, standby_is_primary, standby_position_unknown
//   standby_diverged  its history is another one than the primary's
absl::StatusOr<std::optional<ReplayLag>> JudgeStandby(const StandbyFacts& standby,
                                                      const StandbyNeeds& needs,
                                                      absl::string_view where);

// The same of a standby that has replayed more than the primary has written.
absl::Status StandbyDiverged(absl::string_view where, absl::string_view why);

// Of reading it. A session that waited for us when the replay ended it could not be told why.
absl::Status ExplainRead(const absl::Status& error);

}  // namespace walduct::slot
