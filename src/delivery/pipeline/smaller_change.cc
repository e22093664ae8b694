#include "delivery/pipeline/smaller_change.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace walduct::delivery {
namespace {

// The placeholder itself takes about as much.
constexpr size_t kSmall = 64;

}  // namespace

SmallerChange::SmallerChange(const event::Emission& emission) : emission_(emission) {
  if (emission.change == nullptr) return;
  change_ = *emission.change;
  emission_.change = &change_;
  if (change_.schema == nullptr) return;
  if (change_.before) before_.values.assign(change_.before->begin(), change_.before->end());
  if (change_.after) after_.values.assign(change_.after->begin(), change_.after->end());
  if (change_.before) change_.before = event::RowView(before_.values);
  if (change_.after) change_.after = event::RowView(after_.values);
}

bool SmallerChange::Shrink() {
  const std::optional<Place> largest = FindLargest();
  if (!largest) return false;
  largest->row->values[largest->column] = event::Value::UnchangedToast();
  absl::StrAppend(&columns_, columns_.empty() ? "" : ", ", largest->row->name, ".",
                  change_.schema->columns[largest->column].name);
  return true;
}

std::optional<SmallerChange::Place> SmallerChange::FindLargest() {
  std::optional<Place> found;
  size_t most = kSmall;
  for (Row* row : {&before_, &after_}) {
    for (size_t column = 0; column < row->values.size(); ++column) {
      const event::Value& value = row->values[column];
      if (!value.is_text() || value.size <= most || IsKey(column)) continue;
      most = value.size;
      found = {.row = row, .column = column};
    }
  }
  return found;
}

bool SmallerChange::IsKey(size_t column) const {
  const std::vector<uint16_t>& key =
      emission_.key_rule != nullptr ? emission_.key_rule->columns : change_.schema->key_columns;
  return std::find(key.begin(), key.end(), column) != key.end();
}

}  // namespace walduct::delivery
