#include "replication/slots/other_slot.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "replication/session_names.h"
#include "replication/slot_lock.h"

namespace walduct::replication {
namespace {

constexpr absl::string_view kFound = R"(
SELECT s.slot_name, s.confirmed_flush_lsn, s.restart_lsn IS NOT NULL
  AND (pg_catalog.to_jsonb(s) OPERATOR(pg_catalog.->>) 'wal_status') IS DISTINCT FROM 'lost'
  AND (pg_catalog.to_jsonb(s) OPERATOR(pg_catalog.->>) 'conflicting') IS DISTINCT FROM 'true'
  AND (pg_catalog.to_jsonb(s) OPERATOR(pg_catalog.->>) 'invalidation_reason') IS NULL
  AND NOT (pg_catalog.pg_is_in_recovery() AND
           coalesce(pg_catalog.to_jsonb(s) OPERATOR(pg_catalog.->>) 'synced', '') = 'true'),
  s.active, coalesce(a.application_name, '')
FROM pg_catalog.pg_replication_slots s
LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = s.active_pid
WHERE s.slot_type = 'logical' AND s.plugin = 'pgoutput' AND NOT s.temporary
  AND s.database = pg_catalog.current_database())";

enum FoundColumn { kName, kConfirmed, kUsable, kActive, kReader };

constexpr int kLooks = 15;
constexpr absl::string_view kPause = "SELECT pg_catalog.pg_sleep(0.2)";

// "shop_2" is the second of several slots of "shop".
std::string SuffixOf(const SlotShare& share) {
  return share.number == 1 ? "" : absl::StrCat("_", share.number);
}

// "shop" of "shop_2"; empty: it has no number.
std::string FirstOf(absl::string_view name) {
  absl::string_view first = name;
  while (!first.empty() && absl::ascii_isdigit(static_cast<unsigned char>(first.back())))
    first.remove_suffix(1);
  const bool numbered = first.size() < name.size() && absl::ConsumeSuffix(&first, "_");
  return numbered ? std::string(first) : "";
}

absl::StatusOr<std::vector<FoundSlot>> ReadFound(postgres::Connection& sql, absl::string_view own) {
  ASSIGN_OR_RETURN(const postgres::Result rows, sql.Query(postgres::Rows(kReader + 1), kFound));
  std::vector<FoundSlot> found;
  for (int row = 0; row < rows.rows(); ++row) {
    FoundSlot& slot = found.emplace_back();
    slot.name = std::string(rows.Get(row, kName));
    const bool usable = rows.Get(row, kUsable) == "t", active = rows.Get(row, kActive) == "t";
    slot.idle = usable && !active;
    slot.own = usable && active && !own.empty() && SameSession(own, rows.Get(row, kReader));
    if (rows.is_null(row, kConfirmed)) continue;
    ASSIGN_OR_RETURN(slot.confirmed, Lsn::Parse(rows.Get(row, kConfirmed)));
  }
  return found;
}

// None is held by another one that takes a snapshot, or is about to stream.
absl::StatusOr<std::optional<FoundSlot>> FindMeant(postgres::Connection& sql,
                                                   const std::string& own_slot,
                                                   const SlotShare& share, PositionTrace trace,
                                                   const SlotReaders& readers) {
  trace.exact = trace.exact || readers.at_position_only;
  ASSIGN_OR_RETURN(std::vector<FoundSlot> found, ReadFound(sql, readers.own));
  std::vector<FoundSlot> meant = MayBeMeant(found, own_slot, share, trace, {});
  // That takes a while, where there are hundreds.
  if (!meant.empty() && readers.of_others)
    meant = MayBeMeant(std::move(found), own_slot, share, trace, readers.of_others());
  const absl::string_view own = readers.own.empty() ? "walduct" : absl::string_view(readers.own);
  std::optional<FoundSlot> only;
  for (FoundSlot& slot : meant) {
    const absl::Status held = WorksOnSlot(sql, slot.name, own).status();
    if (ErrorReason(held) == "slot_held") continue;
    RETURN_IF_ERROR(held);
    // Which of the two nobody knows, and one of them is another reader's.
    if (only) return std::nullopt;
    only = std::move(slot);
  }
  return only;
}

absl::Status OtherName(const std::string& own_slot, const SlotShare& share, const FoundSlot& slot,
                       const PositionTrace& trace) {
  const std::string own = postgres::QuoteIdentifier(own_slot);
  const absl::string_view name = absl::StripSuffix(slot.name, SuffixOf(share));
  const bool read = !trace.slot.empty();
  return Error(
      absl::StatusCode::kFailedPrecondition, "slot_other_name",
      absl::StrCat(share.several()
                       ? absl::StrCat("the server has no replication slot ", own)
                       : absl::StrCat("slot.name is ", own, ", which the server does not have"),
                   ", and replication slot ", postgres::QuoteIdentifier(slot.name),
                   " of this database, which ", slot.own ? "a session of this connector" : "nobody",
                   " reads, stands at ", slot.confirmed.ToString(),
                   slot.confirmed == trace.position
                       ? ", the stored position"
                       : absl::StrCat(", before the stored position ", trace.position.ToString()),
                   read ? ", which was read from it" : ""),
      absl::StrCat("set slot.name=", name,
                   read ? ", from which the stored position was read"
                        : ", if that is the slot that this connector has read",
                   ", and start the connector "
                   "again: what was written meanwhile comes, and nothing is read anew",
                   read ? ""
                        : ". If it is another reader's, that one would lose those changes: see "
                          "walduct explain position_lost"));
}

}  // namespace

std::vector<FoundSlot> MayBeMeant(std::vector<FoundSlot> found, const std::string& own,
                                  const SlotShare& share, const PositionTrace& trace,
                                  const std::set<std::string>& of_others) {
  std::set<std::string> names;
  for (const FoundSlot& slot : found) names.insert(slot.name);
  const std::string suffix = SuffixOf(share);
  const std::string own_first(absl::StripSuffix(own, suffix));
  const auto is_sibling = [&](const FoundSlot& slot) {
    return slot.name == own_first || FirstOf(slot.name) == own_first;
  };
  if (share.several() && std::any_of(found.begin(), found.end(), is_sibling)) return {};
  const auto is_other = [&](const FoundSlot& slot) {
    const bool takes_us = slot.idle || slot.own;
    if (!takes_us || !slot.confirmed.valid() || slot.confirmed > trace.position) return true;
    if (of_others.contains(slot.name) || !absl::EndsWith(slot.name, suffix)) return true;
    if (!trace.slot.empty() && slot.name != trace.slot) return true;
    if (trace.slot.empty() && trace.exact && slot.confirmed != trace.position) return true;
    if (!trace.slot.empty() && !share.several()) return false;
    if (share.number > 1) return slot.name == suffix;
    const std::string first = FirstOf(slot.name);
    if (!first.empty() && (first == own_first || names.contains(first))) return true;
    return share.several() && !names.contains(absl::StrCat(slot.name, "_2"));
  };
  std::erase_if(found, is_other);
  return found;
}

absl::Status CheckSlotName(postgres::Connection& sql, const std::string& own,
                           const SlotShare& share, const PositionTrace& trace,
                           const SlotReaders& readers) {
  if (trace.slot == own) return absl::OkStatus();
  for (int look = 1;; ++look) {
    ASSIGN_OR_RETURN(const std::optional<FoundSlot> meant,
                     FindMeant(sql, own, share, trace, readers));
    if (!meant) return absl::OkStatus();
    if (meant->idle || look == kLooks || !readers.waits)
      return OtherName(own, share, *meant, trace);
    RETURN_IF_ERROR(sql.Run(kPause));
  }
}

}  // namespace walduct::replication
