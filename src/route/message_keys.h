// MessageKeys: message.key.columns, "table:column,column;table:column,…". Table and column are
// joined to one Java regular expression over schema.table.column. Immutable; thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace walduct::java {
class RegexList;
}

namespace walduct::route {

class MessageKeys {
 public:
  // InvalidArgument names the entry and what is wrong with it.
  static absl::StatusOr<MessageKeys> Parse(absl::string_view text);

  // The columns of a table's key in the order of the entries, as positions in columns; each at most
  // once. Empty: no entry matches, the table keeps its own key. table: "schema.table".
  std::vector<uint16_t> Choose(absl::string_view table,
                               absl::Span<const absl::string_view> columns) const;

  // Entries of this table that match none of its columns, as written: most likely misspelt.
  std::vector<std::string> Unmatched(absl::string_view table,
                                     absl::Span<const absl::string_view> columns) const;

 private:
  struct Entry {
    std::string text;                               // "table:column"
    std::shared_ptr<const java::RegexList> table;   // alone, for Unmatched
    std::shared_ptr<const java::RegexList> column;  // over schema.table.column
  };
  std::vector<Entry> entries_;
};

}  // namespace walduct::route
