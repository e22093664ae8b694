#include "slot/start/server_history.h"

#include <algorithm>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "slot/start/upgraded_server.h"

namespace walduct::slot {
namespace {

constexpr absl::string_view kNewSnapshot =
    "set snapshot.mode=when_needed to take a new snapshot, or erase the stored offset (walduct "
    "offsets reset) and start with snapshot.mode=initial; changes that "
    "consumers have seen may no longer exist";

// Changes of a transaction that was under way are published, too.
bool Beyond(const event::Position& position, Lsn end) {
  return position.commit_end > end ||
         (position.ordinal > 0 && position.transaction_final_lsn >= end);
}

// Also by what a snapshot has shown.
bool Beyond(const offset::StoredOffset& stored, Lsn end) {
  return Beyond(stored.position, end) || (stored.snapshot_seen && *stored.snapshot_seen > end);
}

absl::Status Diverged(const offset::StoredOffset& stored, const ServerHistory& server,
                      std::optional<Lsn> fork) {
  const Lsn position = stored.position.commit_end;
  // The rows were read from a later view than the one the stream goes on from.
  const bool rows = fork && !Beyond(stored.position, *fork);
  const std::string what =
      rows ? absl::StrCat("the snapshot before the stored position ", position.ToString(),
                          " shows the database at ", stored.snapshot_seen->ToString())
           : absl::StrCat("the stored position ", position.ToString());
  const std::string where =
      fork ? absl::StrCat("which left timeline ", *stored.timeline, " at ", fork->ToString())
           : absl::StrCat("which never was on timeline ", *stored.timeline);
  return Error(
      absl::StatusCode::kFailedPrecondition, "position_diverged",
      absl::StrCat(what, " on timeline ", *stored.timeline, rows ? ", which" : "",
                   " is not in the history of this server: it runs on timeline ",
                   server.system.timeline, ", ", where,
                   ". What was published beyond that never happened here, and what was written "
                   "here up to the position would not be read"),
      absl::StrCat(kNewSnapshot,
                   ". To fail over without this: PostgreSQL 17 or newer, slot.failover=true, and "
                   "the standby's physical slot in synchronized_standby_slots of the primary"));
}

// slot: where it stands. Behind the position nothing is left out from there.
absl::Status Ahead(absl::string_view why, Lsn slot, Lsn position) {
  return Error(
      absl::StatusCode::kFailedPrecondition, "position_ahead",
      absl::StrCat(why,
                   ": perhaps the server was restored or failed over to an older state, or the "
                   "position of another one was stored (walduct offsets import or set)"),
      absl::StrCat("check database.hostname; if a wrong position was stored by mistake: walduct "
                   "offsets import NAME FILE puts the one before it back, from its export",
                   slot.valid() && slot <= position
                       ? absl::StrCat(", or walduct offsets set NAME ", slot.ToString(),
                                      " goes on where the slot stands")
                       : "",
                   "; if this is the server to follow: ", kNewSnapshot));
}

}  // namespace

absl::Status CheckHistory(const offset::StoredOffset& stored, const ServerHistory& server) {
  const event::Position& position = stored.position;
  const std::string text = absl::StrCat("the stored position ", position.commit_end.ToString());
  if (stored.timeline && *stored.timeline != server.system.timeline) {
    const std::optional<Lsn> fork = EndOfTimeline(server.timelines, *stored.timeline);
    return fork && !Beyond(stored, *fork) ? absl::OkStatus() : Diverged(stored, server, fork);
  }
  // A standby may be behind what its primary has sent us.
  if (server.in_recovery) return absl::OkStatus();
  if (std::max(position.commit_end, stored.snapshot_seen.value_or(Lsn())) > server.system.wal_end) {
    return Ahead(
        absl::StrCat(text, stored.snapshot_seen ? ", or the snapshot before it," : "",
                     " lies beyond the end of the server's WAL ", server.system.wal_end.ToString()),
        server.slot, position.commit_end);
  }
  // Its WAL has grown past the position since. The slot tells whether it is the same server: nobody
  // but us moves it.
  if (stored.seen_behind && server.slot <= *stored.seen_behind) {
    return Ahead(absl::StrCat(text,
                              " was found beyond the end of the server's WAL before, and the "
                              "replication slot still stands at ",
                              server.slot.ToString()),
                 server.slot, position.commit_end);
  }
  if (position.xid != 0 && server.next_xid != 0 && !IsBefore(position.xid, server.next_xid)) {
    return Ahead(absl::StrCat(text, " follows transaction ", position.xid,
                              ", which this server has not begun yet"),
                 server.slot, position.commit_end);
  }
  return absl::OkStatus();
}

}  // namespace walduct::slot
