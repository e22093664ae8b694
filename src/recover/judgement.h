// What a gate does with a segment that the restored server asks for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/lsn.h"
#include "recover/state.h"

namespace walduct::recover {

enum class Step {
  kWait,      // hold it back
  kWhole,     // hand it out
  kUpToCut,   // hand out no more of it than it has been cut to already
  kNextPart,  // hand it out up to where it is to be cut next behind `floor`; else whole
};

struct Judgement {
  Step step = Step::kWait;
  Lsn floor;
  std::optional<Xid> pruned_to;  // of kNextPart: prunings that go further are stopped before
  // Of kWait and kUpToCut: "slot", "confirmed" or "catalog_xmin", and that as a sentence.
  std::string waits_for, why;
};

// Whether segments are cut there.
bool IsCut(const HowFar& how_far, uint64_t number);

Judgement Judge(const HowFar& how_far, const GateNotes& notes, uint64_t number);

// Of kNextPart: where a segment with those records is cut next; none: nowhere.
std::optional<Cut> NextCut(const HowFar& how_far, const SegmentRecords& records,
                           const Judgement& judgement);

// Whether what is waited for does not follow on what was handed out. No server leaves a segment
// out: the notes are of another one, whose data folder was called the same.
bool LeavesOut(const GateNotes& notes, uint64_t segment_bytes);

}  // namespace walduct::recover
