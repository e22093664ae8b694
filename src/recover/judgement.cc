#include "recover/judgement.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "recover/wal_record.h"

namespace walduct::recover {
namespace {

Judgement Wait(std::string waits_for, std::string why) {
  return {Step::kWait, Lsn(), std::nullopt, std::move(waits_for), std::move(why)};
}

// Whether the slot has come over the last cut; if not, what it lacks.
bool HasPassed(const HowFar& how_far, const Cut& cut, Judgement* lacks) {
  const bool is_let_go = cut.ddl && (!how_far.cut_at_ddl || cut.end <= how_far.settled_to);
  if (cut.end <= how_far.free_to || is_let_go) return true;
  if (how_far.confirmed <= cut.over) {
    *lacks = Wait("confirmed", absl::StrCat("the slot has confirmed ", how_far.confirmed.ToString(),
                                            ", and the WAL is cut at ", cut.end.ToString()));
    return false;
  }
  if (!cut.oldest_running || cut.end <= how_far.settled_to) return true;
  if (how_far.catalog_xmin && IsAtLeast(*how_far.catalog_xmin, *cut.oldest_running)) return true;
  const std::string is = how_far.catalog_xmin ? absl::StrCat(ToInteger(*how_far.catalog_xmin))
                                              : std::string("not in recovery.json");
  *lacks = Wait("catalog_xmin", absl::StrCat("the slot's catalog_xmin is ", is, ", and not yet ",
                                             ToInteger(*cut.oldest_running),
                                             ", as of the record at ", cut.over.ToString()));
  return false;
}

// What it takes away may be needed by what the slot has still to decode.
bool Holds(const CatalogPruning& one, const Judgement& judgement) {
  if (one.begin < judgement.floor) return false;
  return !judgement.pruned_to || !IsAtLeast(*judgement.pruned_to, one.horizon);
}

// A pruning that keeps its mark needs as high a catalog_xmin as can be had: a cut at each list of
// running transactions. Else the last one of a segment does, for what the next one holds; and, so
// that the slot takes that one, the one before it, for a slot takes no other until it has confirmed
// the one that it took.
std::optional<Cut> NextRunning(const HowFar& how_far, const SegmentRecords& records,
                               const Judgement& judgement) {
  const bool all = !how_far.clear_marks || !how_far.confirmed.valid() ||
                   std::ranges::any_of(records.prunings, [&judgement](const CatalogPruning& one) {
                     return one.edits.empty() && Holds(one, judgement);
                   });
  const size_t count = records.running.size();
  for (size_t i = all || count < 2 ? 0 : count - 2; i < count; ++i) {
    const RunningXacts& one = records.running[i];
    if (one.end <= judgement.floor) continue;
    const bool is_last = all || i + 1 == count;
    return Cut{one.begin, one.end, is_last ? std::optional(one.oldest_running) : std::nullopt,
               std::nullopt, false};
  }
  return std::nullopt;
}

std::optional<Cut> NextPruning(const SegmentRecords& records, const Judgement& judgement) {
  for (const CatalogPruning& one : records.prunings) {
    if (Holds(one, judgement))
      return Cut{Lsn(one.begin.value() - 1), one.begin, std::nullopt, one.horizon, false};
  }
  return std::nullopt;
}

// Replay waits before it until the rows before it have been read by the catalog of their time. What
// is confirmed has been. Without a slot nothing is read yet; and behind a floor it has been passed.
std::optional<Cut> NextDdl(const HowFar& how_far, const SegmentRecords& records,
                           const Judgement& judgement) {
  if (!how_far.confirmed.valid()) return std::nullopt;
  for (const DdlCommit& one : records.ddl) {
    const bool elsewhere = how_far.database != 0 && one.database != how_far.database;
    if (elsewhere || one.stop <= judgement.floor || one.rows_to <= how_far.confirmed) continue;
    return Cut{Lsn(one.enough.value() - 1), one.stop, std::nullopt, std::nullopt, true};
  }
  return std::nullopt;
}

std::optional<Cut> Earlier(const std::optional<Cut>& one, const std::optional<Cut>& other) {
  return !one || (other && other->end < one->end) ? other : one;
}

}  // namespace

bool IsCut(const HowFar& how_far, uint64_t number) {
  return how_far.cut_from.valid() && Lsn((number + 1) * how_far.segment_bytes) > how_far.cut_from;
}

Judgement Judge(const HowFar& how_far, const GateNotes& notes, uint64_t number) {
  const uint64_t size = how_far.segment_bytes;
  const Lsn begin(number * size), end((number + 1) * size);
  const bool any = !notes.file.empty();
  const bool was_entered = any && number <= notes.number;
  const bool is_cut = IsCut(how_far, number);
  const Lsn cut_end = notes.cut ? notes.cut->end : Lsn();
  // A server that starts anew asks for what it has had.
  if (was_entered && (number < notes.number || end <= cut_end || !is_cut))
    return {Step::kWhole, {}, {}, "", ""};
  bool may_enter = was_entered || begin < how_far.free_to;
  if (how_far.confirmed.valid()) {
    // Cuts hold replay where it would end the slot. Before the first of them nothing does.
    const uint64_t ahead = is_cut || !how_far.cut_from.valid() ? how_far.ahead : 0;
    may_enter = may_enter || number <= how_far.confirmed.value() / size + ahead ||
                (any && number == notes.number + 1 && how_far.confirmed > notes.last_record);
  }
  if (!may_enter && !how_far.confirmed.valid())
    return Wait("slot",
                absl::StrCat("there is no slot yet, and free_to is ", how_far.free_to.ToString()));
  if (!may_enter) {
    return Wait("confirmed", absl::StrCat("the slot has confirmed ", how_far.confirmed.ToString(),
                                          ", and the last record before it begins at ",
                                          notes.last_record.ToString()));
  }
  if (!is_cut) return {Step::kWhole, {}, {}, "", ""};
  Judgement lacks;
  if (notes.cut && !HasPassed(how_far, *notes.cut, &lacks)) {
    if (begin < cut_end) lacks.step = Step::kUpToCut;
    return lacks;
  }
  std::optional<Xid> pruned_to = notes.pruned_to;
  const auto also = [&pruned_to](Xid xid) {
    if (!pruned_to || IsAtLeast(xid, *pruned_to)) pruned_to = xid;
  };
  if (notes.cut && notes.cut->horizon) also(*notes.cut->horizon);
  if (how_far.catalog_xmin) also(Xid(ToInteger(*how_far.catalog_xmin) - 1));
  return {Step::kNextPart, std::max({cut_end, how_far.free_to, how_far.cut_from}), pruned_to, "",
          ""};
}

std::optional<Cut> NextCut(const HowFar& how_far, const SegmentRecords& records,
                           const Judgement& given) {
  Judgement judgement = given;
  // Replay that stops before a promotion is of the timeline before, whose file of this segment no
  // archive has: the session that decodes would ask for it for ever.
  judgement.floor = std::max(judgement.floor, records.promoted);
  std::optional<Cut> cut = NextRunning(how_far, records, judgement);
  if (how_far.clear_marks) cut = Earlier(cut, NextPruning(records, judgement));
  if (how_far.cut_at_ddl) cut = Earlier(cut, NextDdl(how_far, records, judgement));
  return cut;
}

bool LeavesOut(const GateNotes& notes, uint64_t segment_bytes) {
  const std::optional<WalName> asked = WalName::OfSegment(notes.asked);
  return notes.waits_for == "confirmed" && asked && !notes.file.empty() &&
         asked->Number(segment_bytes) > notes.number + 1;
}

}  // namespace walduct::recover
