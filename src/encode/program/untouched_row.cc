#include "encode/program/untouched_row.h"

namespace walduct::encode {
namespace {

bool IsColumn(const event::Node& node, uint32_t input, const event::ConnectField& original) {
  return IsInput(node) && node.leaf.input == input && !node.leaf.null_is_default &&
         node.schema == original.schema && node.name == original.name;
}

}  // namespace

size_t CountUntouched(const event::Node& node, const TablePlan* table, InputPlan* first) {
  if (table == nullptr || node.members.empty() || !IsInput(node.members[0]) ||
      node.members[0].leaf.input >= kFieldInputs)
    return 0;
  *first = FindInput(node.members[0].leaf.input, table);
  const event::ConnectSchema* original = IsOfKey(*first)
                                             ? table->key_schema.get()
                                             : table->envelope_schema->Find("after")->schema.get();
  // The fields behind the columns of a key are constants of its own.
  size_t count = 0;
  while (count < node.members.size() && count < first->row_plan->fields.size() &&
         IsColumn(node.members[count], InputNumber(first->row, count), original->fields[count]))
    ++count;
  return count;
}

bool IsUntouchedRow(const event::Node& node, const TablePlan* table, InputPlan* first) {
  const size_t count = CountUntouched(node, table, first);
  return count > 0 && count == node.members.size() && count == first->row_plan->fields.size();
}

}  // namespace walduct::encode
