// SlotHandover: a connector on its way from one walduct.slots to another. It stands with the
// position of the first slot from before anything is changed until all is done, so that whoever
// goes on after a crash knows how far it came. See slot/handover.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "base/lsn.h"

namespace walduct::offset {

struct SlotHandover {
  enum class Step {
    kMoving,    // new slots are made, tables go from publication to publication
    kDraining,  // the slots that gave tables away read up to `cut`
    kEnding,    // slots without tables are dropped, positions are those of the new number
  };

  int from = 1;  // walduct.slots
  int to = 1;
  Step step = Step::kMoving;
  Lsn cut = {};  // all tables have moved before it; of kDraining

  bool operator==(const SlotHandover&) const = default;
};

// "1>3 draining 0/16B3748"
std::string HandoverText(const SlotHandover& handover);
std::optional<SlotHandover> ParseHandover(absl::string_view text);

}  // namespace walduct::offset
