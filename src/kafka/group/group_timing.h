// How often a member that works beside others beats, how long it may be silent, and what that
// leaves between the moment when it knows that it is out and the moment when the next one begins.
// Pure.
//
// Members beat in step, for all have left the same rebalance: the next owner hears of an end by the
// first beat after the session. A session that is a multiple of the heartbeat ends with a beat, and
// nothing is left between the two.
#pragma once

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace walduct::kafka {

struct GroupTiming {
  absl::Duration session = absl::Milliseconds(8500);  // session.timeout.ms
  absl::Duration heartbeat = absl::Seconds(1);        // heartbeat.interval.ms

  static constexpr absl::Duration kMargin = absl::Milliseconds(500);

  // A member that was listed is one for at least so long from the question, and the margin: its
  // last beat may be one heartbeat older.
  absl::Duration lease() const { return session - heartbeat - kMargin; }

  bool operator==(const GroupTiming&) const = default;
};

// Between the end of a session by its owner's own clock and the next owner's beat.
absl::Duration MarginOf(const GroupTiming& timing);

// Why members must not share with that timing, as "is …", and what to type in the place of the
// session; both empty: they may.
struct TimingVerdict {
  std::string what, instead;
};
TimingVerdict JudgeTiming(const GroupTiming& timing);

// The shortest timing like that one whose session is not below least and not above most, with its
// heartbeat; for people: who wants another one may have it.
GroupTiming TimingWithin(const GroupTiming& timing, absl::Duration least, absl::Duration most);

// What brokers allow; absent: they do not say.
struct SessionLimits {
  std::optional<absl::Duration> least = {}, most = {};  // group.min.session.timeout.ms, group.max…
};

// FailedPrecondition group_session_refused, with the limits as far as they are known and what to
// type. shares: the worker file has the timing; else it is always the same.
absl::Status SessionRefused(absl::string_view group, const GroupTiming& timing, bool shares,
                            const SessionLimits& limits);
// The same, where the limits say so.
absl::Status CheckSession(absl::string_view group, const GroupTiming& timing, bool shares,
                          const SessionLimits& limits);

}  // namespace walduct::kafka
