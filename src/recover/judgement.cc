#include "recover/judgement.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace walduct::recover {
namespace {

// Numbers of transactions go round.
bool IsAtLeast(Xid one, Xid other) {
  return static_cast<int32_t>(ToInteger(one) - ToInteger(other)) >= 0;
}

Judgement Wait(std::string waits_for, std::string why) {
  return {Step::kWait, Lsn(), std::move(waits_for), std::move(why)};
}

// Whether the slot has come over the last cut; if not, what it lacks.
bool HasPassed(const HowFar& how_far, const RunningXacts& cut, Judgement* lacks) {
  if (cut.end <= how_far.free_to) return true;
  if (how_far.confirmed <= cut.begin) {
    *lacks = Wait("confirmed", absl::StrCat("the slot has confirmed ", how_far.confirmed.ToString(),
                                            ", and not the record at ", cut.begin.ToString(),
                                            " that the WAL is cut behind"));
    return false;
  }
  if (cut.end <= how_far.settled_to) return true;
  if (how_far.catalog_xmin && IsAtLeast(*how_far.catalog_xmin, cut.oldest_running)) return true;
  const std::string is = how_far.catalog_xmin ? absl::StrCat(ToInteger(*how_far.catalog_xmin))
                                              : std::string("not in recovery.json");
  *lacks = Wait("catalog_xmin", absl::StrCat("the slot's catalog_xmin is ", is, ", and not yet ",
                                             ToInteger(cut.oldest_running),
                                             ", as of the record at ", cut.begin.ToString()));
  return false;
}

}  // namespace

Judgement Judge(const HowFar& how_far, const GateNotes& notes, uint64_t number) {
  const uint64_t size = how_far.segment_bytes;
  const Lsn begin(number * size), end((number + 1) * size);
  const bool any = !notes.file.empty();
  const bool was_entered = any && number <= notes.number;
  const bool is_cut = how_far.cut_from.valid() && end > how_far.cut_from;
  const Lsn cut_end = notes.cut ? notes.cut->end : Lsn();
  // A server that starts anew asks for what it has had.
  if (was_entered && (number < notes.number || end <= cut_end || !is_cut))
    return {Step::kWhole, {}, "", ""};
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
  if (!is_cut) return {Step::kWhole, {}, "", ""};
  Judgement lacks;
  if (notes.cut && !HasPassed(how_far, *notes.cut, &lacks)) {
    if (begin < cut_end) lacks.step = Step::kUpToCut;
    return lacks;
  }
  return {Step::kNextPart, std::max({cut_end, how_far.free_to, how_far.cut_from}), "", ""};
}

}  // namespace walduct::recover
