// KeyValues: of a key as a topic has it in JSON, what the row's key columns may have held, as
// PostgreSQL prints it. Which of the guesses is right shows when they are published: the record's
// key is then the same, byte by byte. Pure.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "event/row.h"
#include "event/table_schema.h"

namespace walduct::recover {

// A row of the schema's columns: kAbsent but for those that the key names.
struct KeyRow {
  std::vector<std::string> texts;  // by column
  std::vector<event::Value> values;
};

// Empty: no column of the table is in the key, or it is no JSON.
std::vector<KeyRow> RowsOfKey(const event::TableSchema& schema, absl::string_view key);

}  // namespace walduct::recover
