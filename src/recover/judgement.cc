#include "recover/judgement.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"

namespace walduct::recover {
namespace {

Judgement Wait(std::string waits_for, std::string why) {
  return {Step::kWait, Lsn(), std::nullopt, std::move(waits_for), std::move(why)};
}

// Whether the slot has come over the last cut; if not, what it lacks.
bool HasPassed(const HowFar& how_far, const Cut& cut, Judgement* lacks) {
  if (cut.end <= how_far.free_to) return true;
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
    may_enter = may_enter || number <= how_far.confirmed.value() / size + how_far.ahead ||
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

}  // namespace walduct::recover
