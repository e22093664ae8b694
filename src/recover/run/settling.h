// Settling: lets replay go over a cut that the slot may never be seen to have come to.
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/time/time.h"
#include "recover/state.h"

namespace walduct::recover {

// A slot that does not move for that long waits for something itself: for replay, as a rule.
constexpr absl::Duration kSlotPatience = absl::Seconds(60);

class Settling {
 public:
  // Whether that cut is not to be waited for any longer, asked again and again. events: any count
  // of what the slot has given; now: of a clock that only goes on.
  bool LetsGo(const GateNotes& notes, const HowFar& how_far, uint64_t events, absl::Duration now);

 private:
  struct Wait {
    Lsn cut, confirmed;
    uint64_t events = 0;

    bool operator==(const Wait&) const = default;
  };

  std::optional<Wait> wait_;
  absl::Duration since_;  // of wait_
};

}  // namespace walduct::recover
