// SlotShare: which of a connector's slots this one is. Immutable once built.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace walduct::java {
class RegexList;
}

namespace walduct::replication {

// One entry of walduct.slots.tables.
struct SlotPin {
  std::shared_ptr<const java::RegexList> tables;  // "schema.table"
  int slot = 0;
};

// The tables of a connector are spread over several slots, of which this is one.
struct SlotShare {
  int number = 1;                         // of this one
  int count = 1;                          // walduct.slots
  std::vector<std::string> publications;  // of all, by number; empty where there is one
  std::vector<SlotPin> pins;
  // Why the other properties allow one slot only; empty: they would allow several.
  std::string only_one = {};
  // Its publication has given tables away already, whose changes from before that it still reads:
  // it takes whatever comes, and leaves the publications alone.
  bool hands_over = false;

  bool several() const { return count > 1; }
};

}  // namespace walduct::replication
