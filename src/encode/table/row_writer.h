// Rows in the formats of text; see write_row.h for what they have in common with others, and for
// errors.
#pragma once

#include "absl/status/status.h"
#include "encode/formats/value_context.h"
#include "encode/table/table_plan.h"
#include "encode/table/write_row.h"

namespace walduct::encode {

// Appends `{…}` (kJson, kHeader) or `Struct{…}` (kStruct) to context->out.
absl::Status AppendRow(const TablePlan& table, const RowPlan& plan, const RowSource& source,
                       ValueContext* context);

// The first `count` fields as AppendRow writes them, from `{` to the value of the last; kJson,
// kHeader.
absl::Status AppendFirstFields(const TablePlan& table, const RowPlan& plan, size_t count,
                               const RowSource& source, ValueContext* context);

// Would both rows be written alike? context->out is a scratch buffer here. A row that cannot be
// written is like no other; and unless absent_is_null, a value of `a` that was not sent is not like
// NULL.
bool SameRow(const TablePlan& table, const RowPlan& plan, const RowSource& a, const RowSource& b,
             ValueContext* context, bool absent_is_null);

// WriteColumn.
absl::Status AppendColumn(const TablePlan& table, const RowPlan& plan, const FieldPlan& field,
                          const RowSource& source, ValueContext* context, bool* null);

}  // namespace walduct::encode
