// EnumLabelWatch: notices an enum label that a table's schema does not know. ALTER TYPE … ADD VALUE
// announces nothing: neither the table nor the type is sent again.
//
// Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "event/row.h"
#include "event/table_schema.h"

namespace walduct::pgoutput {

class EnumLabelWatch {
 public:
  // Watches the enum columns of schema, domains over enums included.
  void Watch(const event::TableSchema& schema);
  bool watching() const { return !columns_.empty(); }

  // False when the row has a label that is new.
  bool Knows(event::RowView row) const;

 private:
  struct EnumColumn {
    uint16_t column = 0;
    absl::flat_hash_set<std::string> labels;
  };
  std::vector<EnumColumn> columns_;
};

}  // namespace walduct::pgoutput
