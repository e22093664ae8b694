#include "slot/world/reads/record_columns.h"

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "encode/options/column_options.h"
#include "encode/types/column_rules.h"

namespace walduct::slot {

event::WantedColumns KeyColumns(const std::optional<route::MessageKeys>& keys) {
  return [keys](const event::TableSchema& schema) {
    std::vector<uint16_t> chosen;
    if (keys) {
      std::vector<absl::string_view> names;
      for (const event::Column& column : schema.columns) names.push_back(column.name);
      chosen = keys->Choose(absl::StrCat(schema.schema, ".", schema.table), names);
    }
    return chosen.empty() ? schema.key_columns : chosen;
  };
}

event::WantedColumns RecordColumns(const encode::ColumnOptions& columns,
                                   const std::optional<route::MessageKeys>& message_keys) {
  if (!columns.include && !columns.exclude) return nullptr;
  return [columns, keys = KeyColumns(message_keys)](const event::TableSchema& schema) {
    const std::string table = absl::StrCat(schema.schema, ".", schema.table, ".");
    std::vector<uint16_t> wanted = keys(schema);
    for (size_t i = 0; i < schema.columns.size(); ++i) {
      if (encode::IsIncluded(columns, absl::StrCat(table, schema.columns[i].name)))
        wanted.push_back(static_cast<uint16_t>(i));
    }
    std::sort(wanted.begin(), wanted.end());
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    return wanted;
  };
}

}  // namespace walduct::slot
