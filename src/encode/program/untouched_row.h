// Where a template has a row as the table has it: what no transform has touched is written as a
// whole. Pure.
#pragma once

#include <cstddef>

#include "encode/records/record_inputs.h"
#include "event/record_template.h"

namespace walduct::encode {

inline bool IsInput(const event::Node& node) {
  return node.kind == event::Node::Kind::kLeaf && node.leaf.kind == event::Leaf::Kind::kInput;
}

// How many of a struct's leading members are the leading columns of a row of the table; *first is
// the first of them. table: null: it has none.
size_t CountUntouched(const event::Node& node, const TablePlan* table, InputPlan* first);

// The whole row and nothing else.
bool IsUntouchedRow(const event::Node& node, const TablePlan* table, InputPlan* first);

inline bool IsOfKey(const InputPlan& plan) {
  return plan.row == InputRow::kKeyBefore || plan.row == InputRow::kKeyAfter;
}

}  // namespace walduct::encode
