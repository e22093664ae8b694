// TablePlan: all that is known about encoding one version of one table into one topic before a row is seen. Compiled once by
// CompileTable, then read only.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "config/options.h"
#include "encode/connect_schema.h"
#include "encode/value_plan.h"
#include "event/table_schema.h"

namespace walduct::encode {

inline constexpr size_t kFormats = 3;
// One text per TextFormat.
using Texts = std::array<std::string, kFormats>;
inline size_t Index(TextFormat format) { return static_cast<size_t>(format); }

struct FieldPlan {
  ValuePlan value;
  uint16_t column = 0;  // in the row
  bool optional = true;
  bool has_placeholder = false;
  Texts prefix;       // everything before the value: `{"id":`, `,"name":`; kStruct: `name=`
  Texts null_text;    // for NULL and for what was not sent; empty in kStruct: the field is left out
  Texts placeholder;  // for a TOAST value that was not sent
  std::string name;   // for error messages
};

struct RowPlan {
  std::vector<FieldPlan> fields;
  bool is_key = false;  // a key takes no placeholder: it would name another row
};

struct DroppedColumn {
  std::string schema, table, column, type;
};

struct TablePlan {
  uint64_t version = 0;  // TableVersion
  std::string topic;
  std::string table_name;  // "schema.table", for error messages
  size_t columns = 0;      // in a row
  RowPlan key;
  RowPlan row;
  ConnectSchemaPtr key_schema;  // null: no key
  ConnectSchemaPtr envelope_schema;
  std::string key_head;                // `{"schema":…,"payload":` or empty
  std::string value_head;              // the same for the envelope
  Texts source_table;                  // `,"schema":"public","table":"t"`
  std::vector<DroppedColumn> dropped;  // columns without a row in the type table
};

TablePlan CompileTable(const event::TableSchema& schema, absl::string_view topic,
                       const config::EncodeOptions& options);

// The tables' part of the source block, also for logical messages, whose names are empty.
Texts SourceTable(absl::string_view schema, absl::string_view table);

// `{"schema":…,"payload":` when the converter writes schemas, else empty.
std::string PayloadHead(const ConnectSchema& schema, const config::ConverterOptions& converter);

}  // namespace walduct::encode
