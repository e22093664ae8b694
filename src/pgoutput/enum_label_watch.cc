#include "pgoutput/enum_label_watch.h"

namespace walduct::pgoutput {

void EnumLabelWatch::Watch(const event::TableSchema& schema) {
  columns_.clear();
  for (size_t i = 0; i < schema.columns.size(); ++i) {
    const event::Type& type = event::BaseType(*schema.columns[i].type);
    if (type.kind != event::TypeKind::kEnum) continue;
    columns_.push_back(
        {.column = static_cast<uint16_t>(i), .labels = {type.labels.begin(), type.labels.end()}});
  }
}

bool EnumLabelWatch::Knows(event::RowView row) const {
  for (const EnumColumn& watched : columns_) {
    const event::Value& value = row[watched.column];
    if (value.is_text() && !watched.labels.contains(value.text())) return false;
  }
  return true;
}

}  // namespace walduct::pgoutput
