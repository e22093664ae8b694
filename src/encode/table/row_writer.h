// Writes one row by its plan. The hot path: one indirect call and a few appends per column.
#pragma once

#include "absl/status/status.h"
#include "encode/table/table_plan.h"
#include "event/row.h"

namespace walduct::encode {

struct RowSource {
  event::RowView row;
  // Where the value of a column whose TOAST value was not sent may be found; empty: nowhere.
  event::RowView old_row;
};

// Appends `{…}` (kJson, kHeader) or `Struct{…}` (kStruct) to context->out.
//   DataLoss            a value is not what PostgreSQL writes for its type
//   FailedPrecondition  a required value was not sent (TOAST), money in a locale that is not
//                       understood
//   Unimplemented       a value that the type's schema has no room for
// Messages name table and column, never the value.
absl::Status AppendRow(const TablePlan& table, const RowPlan& plan, const RowSource& source,
                       ValueContext* context);

// The first `count` fields as AppendRow writes them, from `{` to the value of the last; kJson,
// kHeader. Errors as above.
absl::Status AppendFirstFields(const TablePlan& table, const RowPlan& plan, size_t count,
                               const RowSource& source, ValueContext* context);

// Would both rows be written alike? context->out is a scratch buffer here. A row that cannot be
// written is like no other.
bool SameRow(const TablePlan& table, const RowPlan& plan, const RowSource& a, const RowSource& b,
             ValueContext* context);

// Appends the value of one field, without what stands before it. *null: it is NULL, of an optional
// field, and nothing was appended; its default does not show. A required field never is null.
// Errors as above.
absl::Status AppendColumn(const TablePlan& table, const RowPlan& plan, const FieldPlan& field,
                          const RowSource& source, ValueContext* context, bool* null);

}  // namespace walduct::encode
