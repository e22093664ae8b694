#include "kafka/group/group_timing.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_cat.h"
#include "base/error.h"

namespace walduct::kafka {
namespace {

// Brokers are asked twice a second who is a member, and may take 1.5 s: one answer may fail.
constexpr absl::Duration kLeastLease = absl::Seconds(3);
// A member that is not listed for so long is made anew (group_seat.cc).
constexpr absl::Duration kMostSession = absl::Seconds(25);
// Brokers allow no less, unless they are told otherwise.
constexpr absl::Duration kUsualLeast = absl::Seconds(6);
constexpr int kLeastBeats = 3;  // as Kafka recommends it

absl::Duration Remainder(const GroupTiming& timing) { return timing.session % timing.heartbeat; }

std::string Typed(const GroupTiming& timing) {
  return absl::StrCat("session.timeout.ms=", absl::ToInt64Milliseconds(timing.session),
                      " and heartbeat.interval.ms=", absl::ToInt64Milliseconds(timing.heartbeat));
}

std::string Milliseconds(std::optional<absl::Duration> limit) {
  return limit ? absl::StrCat(absl::ToInt64Milliseconds(*limit), " ms") : "what they do not say";
}

bool Allows(const SessionLimits& limits, absl::Duration session) {
  return session >= limits.least.value_or(session) && session <= limits.most.value_or(session);
}

std::string Instead(const GroupTiming& timing, bool shares, const SessionLimits& limits) {
  const std::string brokers = absl::StrCat(
      "have group.min.session.timeout.ms of the brokers ",
      absl::ToInt64Milliseconds(timing.session), " or less and group.max.session.timeout.ms ",
      absl::ToInt64Milliseconds(timing.session),
      " or more (server.properties of each, which is then restarted)");
  if (!shares) return brokers;
  if (!limits.least && !limits.most)
    return absl::StrCat(
        "ask for group.min.session.timeout.ms of the brokers, which is 6000 as a rule, and set "
        "session.timeout.ms half a second above it with heartbeat.interval.ms=1000 in the file of "
        "each worker of the group (for 10000: ",
        Typed({.session = absl::Milliseconds(10500)}), "); or ", brokers);
  const GroupTiming fits = TimingWithin(timing, limits.least.value_or(absl::ZeroDuration()),
                                        limits.most.value_or(absl::InfiniteDuration()));
  if (!Allows(limits, fits.session)) return brokers;
  return absl::StrCat("set ", Typed(fits), " in the file of each worker of the group; or ",
                      brokers);
}

std::string What(const GroupTiming& timing) {
  const std::string beat = absl::StrCat(absl::ToInt64Milliseconds(timing.heartbeat), " ms");
  if (timing.session > kMostSession) return "is more than 25 s";
  if (timing.session < kLeastBeats * timing.heartbeat)
    return absl::StrCat("is less than three heartbeats of ", beat);
  if (timing.lease() < kLeastLease)
    return absl::StrCat("leaves less than 3 s beside a heartbeat of ", beat,
                        " and half a second: one answer of Kafka that is late would end all "
                        "connectors");
  const absl::Duration behind = Remainder(timing);
  if (std::min(behind, timing.heartbeat - behind) < GroupTiming::kMargin)
    return absl::StrCat("ends with a heartbeat of ", beat,
                        ", or less than half a second beside one: the next worker would begin "
                        "before this one knows that it is out");
  return "";
}

}  // namespace

absl::Duration MarginOf(const GroupTiming& timing) {
  const absl::Duration behind = Remainder(timing);
  return behind == absl::ZeroDuration() ? behind : timing.heartbeat - behind;
}

TimingVerdict JudgeTiming(const GroupTiming& timing) {
  TimingVerdict verdict;
  if (timing.heartbeat < 2 * GroupTiming::kMargin)
    verdict.what =
        absl::StrCat("goes with a heartbeat of ", absl::ToInt64Milliseconds(timing.heartbeat),
                     " ms, which is less than a second: no half second is left behind a "
                     "beat and before the next");
  else
    verdict.what = What(timing);
  if (!verdict.what.empty())
    verdict.instead = absl::StrCat(
        "set ", Typed(TimingWithin({}, std::max(timing.session, kUsualLeast), kMostSession)),
        " (of all workers of the group alike), or remove both");
  return verdict;
}

GroupTiming TimingWithin(const GroupTiming& timing, absl::Duration least, absl::Duration most) {
  const GroupTiming usual;
  for (absl::Duration session = absl::Milliseconds(4500); session <= std::min(most, kMostSession);
       session += absl::Seconds(1)) {
    const GroupTiming tried{.session = session, .heartbeat = usual.heartbeat};
    if (session >= least && JudgeTiming(tried).what.empty()) return tried;
  }
  return timing;
}

absl::Status SessionRefused(absl::string_view group, const GroupTiming& timing, bool shares,
                            const SessionLimits& limits) {
  const std::string known =
      !limits.least && !limits.most
          ? ": it is not within their group.min.session.timeout.ms and "
            "group.max.session.timeout.ms, which they do not tell this user"
          : absl::StrCat(": they allow ", Milliseconds(limits.least),
                         " (group.min.session.timeout.ms) to ", Milliseconds(limits.most),
                         " (group.max.session.timeout.ms)");
  return Error(absl::StatusCode::kFailedPrecondition, "group_session_refused",
               absl::StrCat("the brokers do not take this worker's session in the group ", group,
                            ", ", absl::ToInt64Milliseconds(timing.session), " ms", known),
               Instead(timing, shares, limits));
}

absl::Status CheckSession(absl::string_view group, const GroupTiming& timing, bool shares,
                          const SessionLimits& limits) {
  if (Allows(limits, timing.session)) return absl::OkStatus();
  return SessionRefused(group, timing, shares, limits);
}

}  // namespace walduct::kafka
