// Rows by their plans, for any format: templates over its writer. The hot path: per column one
// indirect call and a few appends. row_writer.h has the formats of text ready.
//   DataLoss            a value is not what PostgreSQL writes for its type
//   FailedPrecondition  a required value was not sent (TOAST), money in a locale that is not
//                       understood
//   Unimplemented       a value that the type's schema has no room for
//   Internal            a NULL for a column that is NOT NULL, where context->keep_nulls is set
// Messages name table and column, never the value.
#pragma once

#include <concepts>
#include <cstddef>
#include <utility>

#include "absl/base/attributes.h"
#include "absl/status/status.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "encode/formats/value_context.h"
#include "encode/readers/read_value.h"
#include "encode/table/table_plan.h"
#include "event/row.h"

namespace walduct::encode {

struct RowSource {
  event::RowView row;
  // Where the value of a column whose TOAST value was not sent may be found; empty: nowhere.
  event::RowView old_row;
};

// A writer for which FieldPlan has texts ready.
template <typename Writer>
concept ReadyWriter = requires {
  { Writer::kFormat } -> std::convertible_to<TextFormat>;
};

namespace internal {

absl::Status WrongWidth(const TablePlan& table);
absl::Status NotSent(const TablePlan& table, const FieldPlan& field);
// OK: NULL is to be published in the place of a value that its reader refused.
absl::Status RefusedToNull(const TablePlan& table, const FieldPlan& field, Outcome outcome,
                           RowContext* context);
void TellLimited(const TablePlan& table, const FieldPlan& field, RowContext* context);
void TellUnsent(const TablePlan& table, const FieldPlan& field, RowContext* context);
// The server has sent NULL for a column that is NOT NULL. OK: its filler is to be published.
absl::Status NullToFiller(const TablePlan& table, const FieldPlan& field, RowContext* context);

inline const event::Value& Resolve(const RowSource& source, size_t column) {
  const event::Value& value = source.row[column];
  if (value.kind != event::ValueKind::kUnchangedToast || source.old_row.empty()) return value;
  const event::Value& old = source.old_row[column];
  return old.is_text() ? old : value;
}

inline bool HasWidth(const TablePlan& table, const RowSource& source) {
  return source.row.size() == table.columns &&
         (source.old_row.empty() || source.old_row.size() == table.columns);
}

template <typename Writer>
void WriteConstant(const Constant& constant, const Texts& ready, RowContext* context, Writer* out) {
  if constexpr (ReadyWriter<Writer>) {
    out->Ready(ready[Index(Writer::kFormat)]);
  } else {
    // A constant is there in changes, too, where values of its type are not (kSnapshotString).
    const bool streaming = std::exchange(context->streaming, false);
    CHECK(ReadValue(constant.text, constant.plan, context, out) == Outcome::kOk);
    context->streaming = streaming;
  }
}

// Writers of formats that have no NULL where there is a default.
template <typename Writer>
constexpr bool NullIsDefault() {
  if constexpr (requires { Writer::kNullIsDefault; }) return Writer::kNullIsDefault;
  return false;
}

template <typename Writer>
void WriteNull(const FieldPlan& field, RowContext* context, Writer* out) {
  context->wrote_null = !field.null_is_value;
  if constexpr (ReadyWriter<Writer>) {
    out->Ready((*field.null_text)[Index(Writer::kFormat)]);
  } else if (field.null_is_value || (NullIsDefault<Writer>() && field.null_value)) {
    context->wrote_null = false;
    WriteConstant(*field.null_value, *field.null_text, context, out);
  } else {
    out->Null();
  }
}

// StringConverter leaves out fields that are null.
template <typename Writer>
constexpr bool LeavesNullsOut() {
  if constexpr (ReadyWriter<Writer>) return Writer::kFormat == TextFormat::kStruct;
  return false;
}

template <typename Writer>
absl::Status WritePlaceholder(const TablePlan& table, const RowPlan& plan, const FieldPlan& field,
                              RowContext* context, Writer* out) {
  if (plan.is_key || (!field.placeholder && !field.optional())) return NotSent(table, field);
  if (field.placeholder) {
    WriteConstant(field.placeholder->constant, field.placeholder->text, context, out);
    return absl::OkStatus();
  }
  TellUnsent(table, field, context);
  context->wrote_null = true;
  if constexpr (!LeavesNullsOut<Writer>()) out->Null();
  return absl::OkStatus();
}

// What the server did not send, or sent as NULL.
template <typename Writer>
ABSL_ATTRIBUTE_NOINLINE absl::Status WriteNoText(const TablePlan& table, const RowPlan& plan,
                                                 const FieldPlan& field, event::ValueKind kind,
                                                 RowContext* context, Writer* out) {
  if (kind == event::ValueKind::kUnchangedToast)
    return WritePlaceholder(table, plan, field, context, out);
  if (kind == event::ValueKind::kNull && field.null_is_filler)
    RETURN_IF_ERROR(NullToFiller(table, field, context));
  WriteNull(field, context, out);
  return absl::OkStatus();
}

// After a value that its reader limited, or refused: what it wrote begins at `begin`.
template <typename Writer>
ABSL_ATTRIBUTE_NOINLINE absl::Status WriteUnusual(const TablePlan& table, const FieldPlan& field,
                                                  Outcome outcome, bool limited, size_t begin,
                                                  RowContext* context, Writer* out) {
  if (limited) TellLimited(table, field, context);
  if (outcome == Outcome::kOk) return absl::OkStatus();
  RETURN_IF_ERROR(RefusedToNull(table, field, outcome, context));
  out->Rewind(begin);
  WriteNull(field, context, out);
  return absl::OkStatus();
}

template <typename Writer>
ABSL_ATTRIBUTE_ALWAYS_INLINE inline absl::Status WriteField(const TablePlan& table,
                                                            const RowPlan& plan,
                                                            const FieldPlan& field,
                                                            const event::Value& value,
                                                            RowContext* context, Writer* out) {
  context->wrote_null = false;
  if (!value.is_text()) return WriteNoText(table, plan, field, value.kind, context, out);
  const size_t begin = out->Mark();
  const uint64_t saturated = context->saturated;
  const Outcome outcome = ReadValue(value.text(), field.value, context, out);
  const bool limited = context->saturated != saturated;
  if (outcome == Outcome::kOk && !limited) return absl::OkStatus();
  return WriteUnusual(table, field, outcome, limited, begin, context, out);
}

}  // namespace internal

// The first `count` fields; nothing behind them.
template <typename Writer>
absl::Status WriteFirstFields(const TablePlan& table, const RowPlan& plan, size_t count,
                              const RowSource& source, RowContext* context, Writer* out) {
  if (!internal::HasWidth(table, source)) return internal::WrongWidth(table);
  const FieldPlan* const fields = plan.fields.data();
  for (size_t i = 0; i < count; ++i) {
    const FieldPlan& field = fields[i];
    if constexpr (ReadyWriter<Writer>) {
      out->BeginField(field.prefix[Index(Writer::kFormat)]);
    } else {
      out->BeginField(i, field.need);
    }
    const event::Value& value = internal::Resolve(source, field.column);
    RETURN_IF_ERROR(internal::WriteField(table, plan, field, value, context, out));
    out->EndField(context->wrote_null);
  }
  return absl::OkStatus();
}

template <typename Writer>
absl::Status WriteRow(const TablePlan& table, const RowPlan& plan, const RowSource& source,
                      RowContext* context, Writer* out) {
  out->BeginRow();
  RETURN_IF_ERROR(WriteFirstFields(table, plan, plan.fields.size(), source, context, out));
  if constexpr (ReadyWriter<Writer>) {
    out->EndRow(plan.tail[Index(Writer::kFormat)], plan.fields.empty());
  } else {
    out->EndRow();
  }
  return absl::OkStatus();
}

// The value of one field, without what stands before it. *null: it is NULL, of an optional field,
// and nothing was written; its default does not show. A required field never is null.
template <typename Writer>
absl::Status WriteColumn(const TablePlan& table, const RowPlan& plan, const FieldPlan& field,
                         const RowSource& source, RowContext* context, Writer* out, bool* null) {
  if (field.column >= source.row.size()) return internal::WrongWidth(table);
  const size_t begin = out->Mark();
  const absl::Status status = internal::WriteField(
      table, plan, field, internal::Resolve(source, field.column), context, out);
  *null = status.ok() && context->wrote_null && field.optional();
  if (*null) out->Rewind(begin);
  return status;
}

}  // namespace walduct::encode
