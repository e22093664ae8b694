#include "slot/world/standby/standby_verdict.h"

#include "absl/strings/str_cat.h"
#include "base/amount_text.h"
#include "base/error.h"

namespace walduct::slot {
namespace {

constexpr absl::string_view kProperty = "walduct.snapshot.standby.hostname";
constexpr absl::string_view kNameAnother =
    "set walduct.snapshot.standby.hostname to a hot standby of the server that database.hostname "
    "names, or remove it: then the rows are read from that server";

absl::Status Refused(absl::string_view reason, absl::string_view where, absl::string_view why) {
  return Error(absl::StatusCode::kFailedPrecondition, reason,
               absl::StrCat(kProperty, ": the server ", where, " ", why), kNameAnother);
}

}  // namespace

std::string LagText(const ReplayLag& lag) {
  return absl::StrCat("the standby ", lag.standby, " to replay the WAL up to ",
                      lag.needed.ToString(), " (it is at ", lag.replayed.ToString(), ", ",
                      BytesText(lag.needed.value() - lag.replayed.value()), " are left",
                      lag.paused ? "; its replay is paused: SELECT pg_wal_replay_resume()" : "",
                      ")");
}

absl::Status StandbyDiverged(absl::string_view where, absl::string_view why) {
  return Refused("standby_diverged", where,
                 absl::StrCat("has another history than the server of the slot: ", why,
                              ". Its rows are not those that the stream goes on from"));
}

absl::Status ExplainRead(const absl::Status& error) {
  if (ErrorReason(error) != "connection_lost") return error;
  return Error(error.code(), ErrorReason(error), error.message(),
               "if the standby was not stopped, its replay ended the read without a word "
               "(pg_stat_database_conflicts counts it): set hot_standby_feedback=on there, or "
               "max_standby_streaming_delay=-1, and walduct.snapshot.resume=true");
}

absl::StatusOr<std::optional<ReplayLag>> JudgeStandby(const StandbyFacts& standby,
                                                      const StandbyNeeds& needs,
                                                      absl::string_view where) {
  if (standby.system.system_identifier != needs.primary.system_identifier) {
    return Refused(
        "standby_of_another_cluster", where,
        absl::StrCat("belongs to another cluster: its system identifier is ",
                     standby.system.system_identifier, ", that of the server of the slot ",
                     needs.primary.system_identifier));
  }
  if (!standby.in_recovery)
    return Refused("standby_is_primary", where, "is no standby: it is a primary, or was promoted");
  if (!standby.replayed.valid())
    return Refused("standby_position_unknown", where, "does not say what it has replayed");
  const bool shows = standby.replayed >= needs.replayed;
  // One that is behind may come to the primary's timeline.
  const uint32_t timeline = needs.primary.timeline;
  if (standby.system.timeline > timeline || (shows && standby.system.timeline != timeline)) {
    return StandbyDiverged(
        where, absl::StrCat("it is on timeline ", standby.system.timeline, " at ",
                            standby.replayed.ToString(), ", the other one on timeline ", timeline));
  }
  if (shows) return std::nullopt;
  return ReplayLag{.standby = std::string(where),
                   .needed = needs.replayed,
                   .replayed = standby.replayed,
                   .paused = standby.paused};
}

}  // namespace walduct::slot
