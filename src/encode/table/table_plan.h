// TablePlan: all that is known about encoding one version of one table into one topic before a row
// is seen. Compiled once by CompileTable, then read only.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "encode/formats/text_target.h"
#include "encode/table/column_notices.h"
#include "encode/table/field_plan.h"
#include "event/connect_schema.h"
#include "event/key_rule.h"
#include "event/table_schema.h"

namespace walduct::encode {

struct ConverterOptions;
struct EncodeOptions;

struct RowPlan {
  std::vector<FieldPlan> fields;
  // fields behind them that are the same in every row, without a comma before; empty: none
  Texts tail;
  bool is_key = false;  // a key takes no placeholder: it would name another row
};

struct RecordBranches;  // template_encoder.h

// What each row needs stands first.
struct TablePlan {
  uint64_t version = 0;  // TableVersion
  std::string topic;
  bool snapshot = false;
  absl::Status status;                       // not OK: no record of this table can be written
  std::shared_ptr<RecordBranches> branches;  // the programs of its records
  RowPlan key;
  RowPlan row;
  size_t columns = 0;                  // in a row
  std::string table_name;              // "schema.table", for error messages
  bool partitioned = false;            // the same
  event::ConnectSchemaPtr key_schema;  // null: no key
  event::ConnectSchemaPtr envelope_schema;
  std::string key_head;    // `{"schema":…,"payload":` or empty
  std::string value_head;  // the same for the envelope
  std::vector<ColumnNotice> notices;
};

struct TableRequest {
  const event::TableSchema* schema = nullptr;
  absl::string_view topic;
  const event::KeyRule* key = nullptr;  // null: the table's key columns
  bool snapshot = false;  // for rows of a snapshot: their metadata differs in one detail
  // Columns, by name, that have held NULL under NOT NULL: optional, and without a default, which
  // would stand for NULL.
  absl::Span<const std::string> nullable = {};
};

TablePlan CompileTable(const TableRequest& request, const EncodeOptions& options);

// `{"schema":…,"payload":` when the converter writes schemas, else empty.
std::string PayloadHead(const event::ConnectSchema& schema, const ConverterOptions& converter);

}  // namespace walduct::encode
