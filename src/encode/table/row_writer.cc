#include "encode/table/row_writer.h"

#include "absl/strings/str_cat.h"
#include "base/error.h"

namespace walduct::encode {
namespace {

using event::Value;
using event::ValueKind;

absl::Status Fail(const TablePlan& table, const FieldPlan& field, Outcome outcome) {
  const std::string column = absl::StrCat("column ", field.name, " of ", table.table_name);
  switch (outcome) {
    case Outcome::kOk:
    case Outcome::kAbsent:
    case Outcome::kMalformed:
      break;
    case Outcome::kNull:
    case Outcome::kNoRoom:
      return Error(
          absl::StatusCode::kUnimplemented, "special_value",
          absl::StrCat(
              column, field.optional ? "" : " is NOT NULL and",
              " holds a value that its schema cannot express: NaN, Infinity, a "
              "timestamp beyond 64 bits, an empty varbit(1), NULL in an array of "
              "labels",
              field.optional ? ", and event.converting.failure.handling.mode is fail" : ""),
          "make the column nullable, leave it out with column.exclude.list, or choose "
          "another decimal.handling.mode or time.precision.mode");
    case Outcome::kForeignMoney:
      return Error(
          absl::StatusCode::kFailedPrecondition, "money_locale",
          absl::StrCat(column,
                       ": money is printed in a locale whose separators are not understood"),
          "ALTER ROLE <replication role> SET lc_monetary = 'C'");
    case Outcome::kNestedArray:
      return Error(
          absl::StatusCode::kUnimplemented, "nested_array",
          absl::StrCat(column,
                       " holds an array of several dimensions; the record's schema has one"),
          "set value.converter.schemas.enable=false, or leave the column out with "
          "column.exclude.list");
  }
  return Error(
      absl::StatusCode::kDataLoss, "malformed_value",
      absl::StrCat(column, " holds text that PostgreSQL does not write for its type"),
      "check that the server is PostgreSQL and that no proxy changes its session settings");
}

absl::Status NotSent(const TablePlan& table, const FieldPlan& field) {
  return Error(
      absl::StatusCode::kFailedPrecondition, "toast_value_not_sent",
      absl::StrCat("column ", field.name, " of ", table.table_name,
                   " was not changed and is stored out of line, so the server did not send "
                   "it, and nothing can stand in for it: it is part of the key, or NOT NULL "
                   "with a type that has no placeholder"),
      absl::StrCat("ALTER TABLE ", table.table_name, " REPLICA IDENTITY FULL"));
}

absl::Status AppendPlaceholder(const TablePlan& table, const RowPlan& plan, const FieldPlan& field,
                               ValueContext* context) {
  if (plan.is_key || (!field.has_placeholder && !field.optional)) return NotSent(table, field);
  if (field.has_placeholder) {
    context->out->append(field.placeholder[Index(context->format)]);
  } else {
    context->wrote_null = true;
    if (context->format != TextFormat::kStruct) context->out->append("null");
  }
  return absl::OkStatus();
}

const Value& Resolve(const RowSource& source, size_t column) {
  const Value& value = source.row[column];
  if (value.kind != ValueKind::kUnchangedToast || source.old_row.empty()) return value;
  const Value& old = source.old_row[column];
  return old.is_text() ? old : value;
}

bool BecomesNull(Outcome outcome, const ValueContext& context) {
  switch (outcome) {
    case Outcome::kNull:
      return true;
    case Outcome::kNoRoom:
      return context.on_failure != config::FailureMode::kStop;
    case Outcome::kMalformed:
      return false;
    default:
      return context.on_failure == config::FailureMode::kNull;
  }
}

// A value is about to be published as another than the server has sent.
void Tell(ColumnNotice::Kind kind, const TablePlan& table, const FieldPlan& field,
          ValueContext* context) {
  if (context->notices != nullptr) context->notices->AddValue(kind, table.table_name, field);
}

absl::Status AppendField(const TablePlan& table, const RowPlan& plan, const FieldPlan& field,
                         const Value& value, ValueContext* context) {
  context->wrote_null = false;
  if (value.is_text()) {
    const size_t begin = context->out->size();
    const uint64_t saturated = context->saturated;
    const Outcome outcome = field.value.append(value.text(), field.value, context);
    if (context->saturated != saturated)
      Tell(ColumnNotice::Kind::kValueLimited, table, field, context);
    if (outcome == Outcome::kOk) return absl::OkStatus();
    if (outcome == Outcome::kAbsent) {
      ++context->lost;
      Tell(ColumnNotice::Kind::kValueLost, table, field, context);
    } else {
      if (!field.optional || !BecomesNull(outcome, *context)) return Fail(table, field, outcome);
      context->out->resize(begin);
      ++context->nulled;
      Tell(ColumnNotice::Kind::kValueNulled, table, field, context);
    }
  }
  if (value.kind == ValueKind::kUnchangedToast) {
    return AppendPlaceholder(table, plan, field, context);
  }
  context->wrote_null = !field.null_is_value;
  context->out->append(field.null_text[Index(context->format)]);
  return absl::OkStatus();
}

// Java leaves null fields out, so the comma depends on what has been written.
absl::Status AppendStruct(const TablePlan& table, const RowPlan& plan, const RowSource& source,
                          ValueContext* context) {
  context->out->append("Struct{");
  bool first = true;
  for (const FieldPlan& field : plan.fields) {
    const Value& value = Resolve(source, field.column);
    const size_t before = context->out->size();
    if (!first) context->out->push_back(',');
    context->out->append(field.prefix[Index(TextFormat::kStruct)]);
    if (absl::Status status = AppendField(table, plan, field, value, context); !status.ok())
      return status;
    if (context->wrote_null) {
      context->out->resize(before);
    } else {
      first = false;
    }
  }
  const std::string& tail = plan.tail[Index(TextFormat::kStruct)];
  if (!first && !tail.empty()) context->out->push_back(',');
  absl::StrAppend(context->out, tail, "}");
  return absl::OkStatus();
}

absl::Status WrongWidth(const TablePlan& table) {
  return Error(
      absl::StatusCode::kDataLoss, "row_width",
      absl::StrCat("a row of ", table.table_name, " does not have the columns of its table"));
}

}  // namespace

absl::Status AppendColumn(const TablePlan& table, const RowPlan& plan, const FieldPlan& field,
                          const RowSource& source, ValueContext* context, bool* null) {
  if (field.column >= source.row.size()) return WrongWidth(table);
  const size_t begin = context->out->size();
  const absl::Status status =
      AppendField(table, plan, field, Resolve(source, field.column), context);
  *null = status.ok() && context->wrote_null && field.optional;
  if (*null) context->out->resize(begin);
  return status;
}

absl::Status AppendFirstFields(const TablePlan& table, const RowPlan& plan, size_t count,
                               const RowSource& source, ValueContext* context) {
  if (source.row.size() != table.columns) return WrongWidth(table);
  if (!source.old_row.empty() && source.old_row.size() != table.columns) return WrongWidth(table);
  const size_t format = Index(context->format);
  for (size_t i = 0; i < count; ++i) {
    const FieldPlan& field = plan.fields[i];
    context->out->append(field.prefix[format]);
    const Value& value = Resolve(source, field.column);
    if (absl::Status status = AppendField(table, plan, field, value, context); !status.ok())
      return status;
  }
  return absl::OkStatus();
}

absl::Status AppendRow(const TablePlan& table, const RowPlan& plan, const RowSource& source,
                       ValueContext* context) {
  if (source.row.size() != table.columns) return WrongWidth(table);
  if (!source.old_row.empty() && source.old_row.size() != table.columns) return WrongWidth(table);
  if (context->format == TextFormat::kStruct) return AppendStruct(table, plan, source, context);
  const size_t format = Index(context->format);
  if (plan.fields.empty()) {
    absl::StrAppend(context->out, "{", plan.tail[format], "}");
    return absl::OkStatus();
  }
  const absl::Status status = AppendFirstFields(table, plan, plan.fields.size(), source, context);
  if (!status.ok()) return status;
  if (!plan.tail[format].empty()) absl::StrAppend(context->out, ",", plan.tail[format]);
  context->out->push_back('}');
  return absl::OkStatus();
}

bool SameRow(const TablePlan& table, const RowPlan& plan, const RowSource& a, const RowSource& b,
             ValueContext* context) {
  if (a.row.size() != table.columns || b.row.size() != table.columns) return false;
  for (const FieldPlan& field : plan.fields) {
    const Value& left = Resolve(a, field.column);
    const Value& right = Resolve(b, field.column);
    if (left.kind == right.kind && left.text() == right.text()) continue;
    context->out->clear();
    if (!AppendField(table, plan, field, left, context).ok()) return false;
    const bool left_null = context->wrote_null;
    const size_t middle = context->out->size();
    if (!AppendField(table, plan, field, right, context).ok()) return false;
    if (left_null != context->wrote_null) return false;
    const absl::string_view both = *context->out;
    if (both.substr(0, middle) != both.substr(middle)) return false;
  }
  return true;
}

}  // namespace walduct::encode
