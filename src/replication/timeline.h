// Timelines: each promotion and each point-in-time recovery begins a new one. Up to the LSN where
// it branched off, a timeline shares its history with its parent; what the parent wrote after that
// never happened on it. Pure.
//
// Source: https://www.postgresql.org/docs/current/continuous-archiving.html#BACKUP-TIMELINES
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/lsn.h"

namespace walduct::replication {

// A timeline ended, and the next one began.
struct TimelineSwitch {
  uint32_t timeline = 0;
  Lsn end;
};
using TimelineHistory = std::vector<TimelineSwitch>;  // oldest first

// A history file: lines of timeline, LSN and reason, and comments.
absl::StatusOr<TimelineHistory> ParseTimelineHistory(absl::string_view text);

// Where a server with this history left the timeline; absent when it never was on it.
std::optional<Lsn> EndOfTimeline(const TimelineHistory& history, uint32_t timeline);

}  // namespace walduct::replication
