// KeyRule: what the keys of one version of a table are made of. Decided by the router, which tells
// key changes by it, and compiled by the encoder, so that both mean the same key.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace walduct::event {

struct KeyRule {
  std::vector<uint16_t> columns;  // positions in the table's columns, in the order of the key
  // One more text field after them, the same for every row; an empty name: none.
  std::string extra_field;
  std::string extra_value;

  bool empty() const { return columns.empty() && extra_field.empty(); }
};

}  // namespace walduct::event
