// What a gate does with a segment that the restored server asks for.
#pragma once

#include <cstdint>
#include <string>

#include "base/lsn.h"
#include "recover/state.h"

namespace walduct::recover {

enum class Step {
  kWait,      // hold it back
  kWhole,     // hand it out
  kUpToCut,   // hand out no more of it than it has been cut to already
  kNextPart,  // hand it out up to the next running-xacts record behind `floor`; whole without one
};

struct Judgement {
  Step step = Step::kWait;
  Lsn floor;
  // Of kWait and kUpToCut: "slot", "confirmed" or "catalog_xmin", and that as a sentence.
  std::string waits_for, why;
};

Judgement Judge(const HowFar& how_far, const GateNotes& notes, uint64_t number);

}  // namespace walduct::recover
