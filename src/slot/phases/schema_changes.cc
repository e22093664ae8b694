#include "slot/phases/schema_changes.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace walduct::slot {
namespace {

using event::Column;
using event::TableSchema;

const Column* Find(const TableSchema& schema, const std::string& name) {
  const auto found = std::find_if(schema.columns.begin(), schema.columns.end(),
                                  [&](const Column& column) { return column.name == name; });
  return found == schema.columns.end() ? nullptr : &*found;
}

std::string TypeText(const Column& column) {
  const std::string& name = column.type->name;
  return name.empty() ? absl::StrCat("type ", ToInteger(column.type->oid)) : name;
}

bool SameKind(const Column& a, const Column& b) {
  return a.type->oid == b.type->oid && a.typmod == b.typmod;
}

// By its place: columns are only ever added at the end.
const Column* RenamedTo(const TableSchema& before, const TableSchema& now, size_t index) {
  if (before.columns.size() != now.columns.size()) return nullptr;
  const Column& other = now.columns[index];
  const bool is_new = Find(before, other.name) == nullptr;
  return is_new && SameKind(before.columns[index], other) ? &other : nullptr;
}

std::vector<std::string> KeyOf(const TableSchema& schema) {
  std::vector<std::string> names;
  for (const uint16_t index : schema.key_columns) names.push_back(schema.columns[index].name);
  return names;
}

std::string Retyped(const Column& before, const Column& now) {
  const std::string was = TypeText(before), is = TypeText(now);
  return absl::StrCat("column retyped: ", now.name, " ", was,
                      was == is ? ", with other limits" : absl::StrCat(" to ", is));
}

}  // namespace

std::string DescribeChanges(const TableSchema& before, const TableSchema& now) {
  std::vector<std::string> changes;
  if (before.schema != now.schema || before.table != now.table)
    changes.push_back(absl::StrCat("table renamed: ", before.schema, ".", before.table, " to ",
                                   now.schema, ".", now.table));
  std::vector<std::string> renamed;
  for (size_t i = 0; i < before.columns.size(); ++i) {
    const Column& column = before.columns[i];
    if (const Column* same = Find(now, column.name)) {
      if (!SameKind(column, *same)) changes.push_back(Retyped(column, *same));
    } else if (const Column* other = RenamedTo(before, now, i)) {
      changes.push_back(absl::StrCat("column renamed: ", column.name, " to ", other->name));
      renamed.push_back(other->name);
    } else {
      changes.push_back(absl::StrCat("column dropped: ", column.name));
    }
  }
  for (const Column& column : now.columns) {
    const bool known = Find(before, column.name) != nullptr ||
                       std::find(renamed.begin(), renamed.end(), column.name) != renamed.end();
    if (!known)
      changes.push_back(absl::StrCat("column added: ", column.name, " ", TypeText(column)));
  }
  if (const auto key = KeyOf(now); renamed.empty() && key != KeyOf(before))
    changes.push_back(key.empty() ? "key dropped"
                                  : absl::StrCat("key: ", absl::StrJoin(key, ", ")));
  return absl::StrJoin(changes, "; ");
}

}  // namespace walduct::slot
