#include "recover/run/trouble.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "recover/run/settling.h"

namespace walduct::recover {
namespace {

// 16 MB in that time: at that rate the archive is what a recovery waits for.
constexpr uint64_t kSlowMs = 2000;
// Somebody who asks again has asked by then.
constexpr absl::Duration kAsksAgain = absl::Seconds(1);

constexpr char kArchiveHint[] =
    "if the primary has still to archive it: SELECT pg_switch_wal() there, and look at "
    "pg_stat_archiver. If it is missing from the archive for good, what follows cannot be decoded: "
    "stop this, and walduct recover read, or start it with --then read";

// What replay waits for does not come.
std::optional<Trouble> SlotStands(const GateNotes& notes, const Seen& seen, absl::Time now,
                                  absl::Duration patience) {
  const absl::Time moved = std::max(absl::FromUnixMillis(notes.waits_since_ms), seen.confirmed_at);
  const bool waits = notes.waits_for == "confirmed" && seen.confirmed.valid() && !seen.away_since;
  if (!waits || now - moved <= std::max(patience, kSlotPatience)) return std::nullopt;
  return Trouble{"recover_slot_stands", moved,
                 absl::StrCat("replay waits for the slot, which has confirmed ",
                              seen.confirmed.ToString(), " and does not move"),
                 "this log says whether the sink takes no records; else there: SELECT pid, "
                 "wait_event_type, wait_event, query FROM pg_stat_activity WHERE backend_type "
                 "IN ('client backend', 'walsender')"};
}

}  // namespace

std::optional<Trouble> FindTrouble(const GateNotes& notes, const Seen& seen,
                                   const std::string& state_folder, absl::Time now,
                                   absl::Duration patience) {
  const absl::Time since = absl::FromUnixMillis(notes.waits_since_ms);
  if (notes.data_folder.empty() && now - seen.begun > patience) {
    return Trouble{"recover_gate_silent", seen.begun,
                   absl::StrCat("no gate has asked for WAL with the folder ", state_folder),
                   absl::StrCat("start the restored server; its restore_command is: walduct "
                                "recover gate --state ",
                                state_folder, " -- COMMAND")};
  }
  if (notes.waits_for == "disk" && now - since > kAsksAgain) {
    return Trouble{"recover_disk_full", since,
                   absl::StrCat("the restored server's disk has no room for ", notes.asked),
                   "make room on its disk, or make the disk larger; it goes on by itself"};
  }
  if (seen.away_since && now - *seen.away_since > patience) {
    return Trouble{"recover_server_away", *seen.away_since,
                   absl::StrCat("the restored server takes no sessions: ", seen.away_why),
                   "its log says why it ended: a full disk, or a gate that was killed, ends it. "
                   "Put that right and start it again; it goes on where it was"};
  }
  if (!seen.pause.empty() && seen.pause != "not paused") {
    return Trouble{"recover_replay_paused", seen.replayed_at,
                   absl::StrCat("replay of the restored server is paused (", seen.pause, ")"),
                   "its log says which setting is lower than the primary's (max_connections, "
                   "max_worker_processes, max_wal_senders, max_prepared_transactions, "
                   "max_locks_per_transaction): raise it there and restart it; else SELECT "
                   "pg_wal_replay_resume()"};
  }
  if (notes.waits_for == "archive" && now - since > patience) {
    return Trouble{"recover_archive_waits", since,
                   absl::StrCat("the archive does not have ", notes.asked, " yet"), kArchiveHint};
  }
  if (notes.waits_for == "fetch" && now - since > patience) {
    return Trouble{"recover_archive_slow", since,
                   absl::StrCat("the archive's command has not brought ", notes.asked, " yet"),
                   "run it by hand on the restored server's machine; one that hangs may be ended"};
  }
  if (auto stands = SlotStands(notes, seen, now, patience)) return stands;
  const bool stands = seen.replayed.valid() && !seen.away_since && notes.waits_for.empty() &&
                      now - seen.replayed_at > patience;
  const bool fetches = notes.waits_for.empty() || notes.waits_for == "fetch";
  if ((!stands || notes.file.empty()) && fetches && notes.fetch_ms >= kSlowMs) {
    return Trouble{"recover_archive_slow", seen.begun,
                   absl::StrCat("the archive's command took ",
                                absl::FormatDuration(absl::Milliseconds(notes.fetch_ms)),
                                " for the last segment: replay waits for it"),
                   "let the tool fetch ahead (pgBackRest: archive-async; WAL-G does), or copy the "
                   "gap's segments next to the restored server; else it only takes longer",
                   /*stands=*/false};
  }
  if (!stands || notes.file.empty()) return std::nullopt;
  if (seen.replayed > notes.last_record) {
    return Trouble{"recover_gate_silent", seen.replayed_at,
                   absl::StrCat("the restored server has replayed ", notes.file,
                                ", and its gate does not note that it was asked for more"),
                   "the restored server's log has what the gate says: a folder of --state that it "
                   "cannot write to, or whose disk is full"};
  }
  return Trouble{
      "recover_replay_stands", seen.replayed_at,
      absl::StrCat("replay of the restored server stands at ", seen.replayed.ToString(),
                   ", though it has ", notes.file),
      "there: SELECT pid, wait_event_type, wait_event FROM pg_stat_activity WHERE "
      "backend_type = 'startup'; queries of others hold it up, and its log may say more"};
}

}  // namespace walduct::recover
