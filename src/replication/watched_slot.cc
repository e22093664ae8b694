#include "replication/watched_slot.h"

#include <algorithm>

#include "absl/hash/hash.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"

namespace walduct::replication {
namespace {

// The snapshot of the statement is taken before the functions are called. It changes when a
// transaction ends that has an id, whichever; of those that run on a primary a standby knows the
// oldest only, so there any WAL may be the end of another. A commit is in the WAL before it is in a
// snapshot; one that is asynchronous may not be written yet. A new page begins with a header.
constexpr absl::string_view kFrom = R"(
  e.lsn, e.in_recovery, e.partial, e.snapshot, s.confirmed_flush_lsn, s.catalog_xmin,
  pg_catalog.pg_wal_lsn_diff(e.lsn, s.restart_lsn)::pg_catalog.int8,
  (SELECT setting::pg_catalog.int8 * 1048576 FROM pg_catalog.pg_settings
   WHERE name = 'max_slot_wal_keep_size'),
  CASE WHEN s.active_pid IS NOT NULL THEN 'pid ' || s.active_pid::pg_catalog.text ||
    coalesce((SELECT ', application ' || nullif(a.application_name, '')
              FROM pg_catalog.pg_stat_get_activity(s.active_pid) a), '') END
FROM (SELECT w.lsn, w.r AS in_recovery,
             CASE WHEN w.r THEN false
             ELSE pg_catalog.pg_wal_lsn_diff(pg_catalog.pg_current_wal_insert_lsn(), w.lsn) > 40
             END AS partial,
             CASE WHEN w.r AND pg_catalog.txid_snapshot_xmin(w.s)
                               <> pg_catalog.txid_snapshot_xmax(w.s)
             THEN w.s::pg_catalog.text || ' ' || w.lsn::pg_catalog.text
             ELSE w.s::pg_catalog.text END AS snapshot
      FROM (SELECT r.r, pg_catalog.txid_current_snapshot() AS s,
                   CASE WHEN r.r THEN pg_catalog.pg_last_wal_replay_lsn()
                   ELSE pg_catalog.pg_current_wal_lsn() END AS lsn
            FROM (SELECT pg_catalog.pg_is_in_recovery()) r(r) OFFSET 0) w OFFSET 0) e
LEFT JOIN pg_catalog.pg_replication_slots s ON s.slot_name = ANY ($1::pg_catalog.text[]))";

enum Column {
  kName,
  kWalStatus,
  kSafe,
  kEnd,
  kInRecovery,
  kPartial,
  kSnapshot,
  kConfirmed,
  kXmin,
  kRetained,
  kLimit,
  kReadBy,
  kColumns,
};

std::string ArrayOf(const std::vector<std::string>& names) {
  std::string array = "{";
  for (const std::string& name : names) {
    absl::StrAppend(&array, array.size() > 1 ? "," : "", "\"");
    for (const char c : name) {
      if (c == '"' || c == '\\') array += '\\';
      array += c;
    }
    array += '"';
  }
  return array + "}";
}

uint64_t Number(absl::string_view text) {
  int64_t value = 0;
  return absl::SimpleAtoi(text, &value) && value > 0 ? static_cast<uint64_t>(value) : 0;
}

// The low half is the xmax of xmin:xmax:running, the high half changes with the whole.
uint64_t EndedBy(absl::string_view snapshot) {
  const std::vector<absl::string_view> parts = absl::StrSplit(snapshot, ':');
  if (parts.size() < 3) return 0;
  const auto low = static_cast<uint32_t>(Number(parts[1]));
  return (uint64_t{absl::HashOf(snapshot)} << 32) | low;
}

Lsn LsnOf(absl::string_view text) {
  const absl::StatusOr<Lsn> lsn = Lsn::Parse(text);
  return lsn.ok() ? *lsn : Lsn();
}

WatchedSlot Read(const postgres::Result& result, int row) {
  const auto text = [&](Column column) { return result.Get(row, column); };
  WatchedSlot look;
  look.slot = std::string(text(kName));
  look.wal_status = std::string(text(kWalStatus));
  look.wal_end = LsnOf(text(kEnd));
  look.in_recovery = text(kInRecovery) == "t";
  look.partial = text(kPartial) == "t";
  look.next_xid = EndedBy(text(kSnapshot));
  look.confirmed = LsnOf(text(kConfirmed));
  look.slot_xmin = static_cast<uint32_t>(Number(text(kXmin)));
  look.retained_bytes = Number(text(kRetained));
  look.limit_bytes = Number(text(kLimit));
  look.reader = std::string(text(kReadBy));
  int64_t safe = 0;
  if (absl::SimpleAtoi(text(kSafe), &safe)) look.safe_bytes = safe;
  return look;
}

constexpr uint64_t kLeastSafeBytes = 64u << 20;

}  // namespace

bool IsEndangered(const WatchedSlot& look) {
  if (look.wal_status == "lost" || look.wal_status == "missing") return false;
  const uint64_t limit = look.limit_bytes;
  const uint64_t safe = static_cast<uint64_t>(std::max<int64_t>(look.safe_bytes.value_or(0), 0));
  const bool little = safe < std::max(kLeastSafeBytes, limit / 4);
  return look.wal_status == "unreserved" ||
         (limit > 0 &&
          (look.wal_status == "extended" || (little && look.retained_bytes > limit / 2)));
}

absl::StatusOr<std::vector<WatchedSlot>> ReadWatchedSlots(postgres::Connection& connection,
                                                          const std::vector<std::string>& slots) {
  const bool has_status = connection.server_version() >= 130000;
  ASSIGN_OR_RETURN(
      const postgres::Result result,
      connection.Query(
          postgres::Rows(kColumns),
          absl::StrCat("SELECT s.slot_name, ",
                       has_status ? "s.wal_status, s.safe_wal_size," : "'', NULL,", kFrom),
          {ArrayOf(slots)}));
  std::vector<WatchedSlot> looks;
  for (const std::string& slot : slots) {
    WatchedSlot look;
    for (int row = 0; row < result.rows(); ++row) {
      if (result.Get(row, kName) == slot) look = Read(result, row);
    }
    if (look.slot.empty() && result.rows() > 0) {
      // What is of the server stands in each row.
      look = Read(result, 0);
      WatchedSlot none;
      none.slot = slot;
      none.wal_status = "missing";
      none.wal_end = look.wal_end;
      none.in_recovery = look.in_recovery;
      none.partial = look.partial;
      none.next_xid = look.next_xid;
      look = none;
    }
    look.slot = slot;
    looks.push_back(std::move(look));
  }
  return looks;
}

}  // namespace walduct::replication
