#include "encode/table/row_writer.h"

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "encode/readers/read_formats.h"
#include "encode/table/column_notices.h"

namespace walduct::encode {
namespace internal {
namespace {

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
              column, field.optional() ? "" : " is NOT NULL and",
              " holds a value that its schema cannot represent: NaN, Infinity, a "
              "timestamp beyond 64 bits, an empty varbit(1), NULL in an array of "
              "labels",
              field.optional() ? ", and event.converting.failure.handling.mode is fail" : ""),
          "make the column nullable, leave it out with column.exclude.list, or choose "
          "another decimal.handling.mode or time.precision.mode");
    case Outcome::kForeignMoney:
      return Error(
          absl::StatusCode::kFailedPrecondition, "money_locale",
          absl::StrCat(column,
                       ": money is formatted in a locale whose separators are not supported"),
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
      absl::StrCat(column, " holds text that is not valid output of its type"),
      "check that the server is PostgreSQL, that no proxy changes session settings, and that "
      "the column's type is the one whose name it has; column.exclude.list leaves it out");
}

bool BecomesNull(Outcome outcome, const RowContext& context) {
  switch (outcome) {
    case Outcome::kNull:
      return true;
    case Outcome::kNoRoom:
      return context.on_failure != FailureMode::kStop;
    case Outcome::kMalformed:
      return false;
    default:
      return context.on_failure == FailureMode::kNull;
  }
}

// A value is about to be published as another than the server has sent.
void Tell(ColumnNotice::Kind kind, const TablePlan& table, const FieldPlan& field,
          RowContext* context) {
  if (context->notices != nullptr) context->notices->AddValue(kind, table.table_name, field);
}

}  // namespace

absl::Status WrongWidth(const TablePlan& table) {
  return Error(
      absl::StatusCode::kDataLoss, "row_width",
      absl::StrCat("a row of ", table.table_name, " does not have the columns of its table"));
}

absl::Status NotSent(const TablePlan& table, const FieldPlan& field) {
  return Error(absl::StatusCode::kFailedPrecondition, "toast_value_not_sent",
               absl::StrCat("column ", field.name, " of ", table.table_name,
                            " was not changed and is stored out of line (TOAST), so the server did "
                            "not send it, and it has no placeholder: it is part of the key, or NOT "
                            "NULL with a type that has no placeholder"),
               absl::StrCat("ALTER TABLE ",
                            table.partitioned
                                ? absl::StrCat("… REPLICA IDENTITY FULL for each partition of ",
                                               table.table_name,
                                               " (the table's own is not handed "
                                               "on to them)")
                                : absl::StrCat(table.table_name, " REPLICA IDENTITY FULL"),
                            "; not where the publication leaves out columns of the table (from "
                            "PostgreSQL 18 on generated ones count): the server then refuses "
                            "UPDATE and DELETE"));
}

absl::Status RefusedToNull(const TablePlan& table, const FieldPlan& field, Outcome outcome,
                           RowContext* context) {
  if (outcome == Outcome::kAbsent) {
    ++context->lost;
    Tell(ColumnNotice::Kind::kValueLost, table, field, context);
    return absl::OkStatus();
  }
  if (!field.optional() || !BecomesNull(outcome, *context)) return Fail(table, field, outcome);
  ++context->nulled;
  Tell(ColumnNotice::Kind::kValueNulled, table, field, context);
  return absl::OkStatus();
}

absl::Status NullToFiller(const TablePlan& table, const FieldPlan& field, RowContext* context) {
  if (!context->keep_nulls) {
    ++context->filled;
    Tell(ColumnNotice::Kind::kNullFilled, table, field, context);
    return absl::OkStatus();
  }
  context->null_column = field.column;
  return absl::InternalError(
      absl::StrCat("column ", field.name, " of ", table.table_name, " is NULL"));
}

void TellLimited(const TablePlan& table, const FieldPlan& field, RowContext* context) {
  Tell(ColumnNotice::Kind::kValueLimited, table, field, context);
}

void TellUnsent(const TablePlan& table, const FieldPlan& field, RowContext* context) {
  if (field.value.reads == Reads::kNothing) return;  // null whatever the value is
  Tell(ColumnNotice::Kind::kUnsentNulled, table, field, context);
}

}  // namespace internal

absl::Status AppendColumn(const TablePlan& table, const RowPlan& plan, const FieldPlan& field,
                          const RowSource& source, ValueContext* context, bool* null) {
  return WithTextWriter(*context, [&](auto* out) {
    return WriteColumn(table, plan, field, source, context, out, null);
  });
}

absl::Status AppendFirstFields(const TablePlan& table, const RowPlan& plan, size_t count,
                               const RowSource& source, ValueContext* context) {
  return WithTextWriter(*context, [&](auto* out) {
    return WriteFirstFields(table, plan, count, source, context, out);
  });
}

absl::Status AppendRow(const TablePlan& table, const RowPlan& plan, const RowSource& source,
                       ValueContext* context) {
  return WithTextWriter(*context,
                        [&](auto* out) { return WriteRow(table, plan, source, context, out); });
}

bool SameRow(const TablePlan& table, const RowPlan& plan, const RowSource& a, const RowSource& b,
             ValueContext* context, bool absent_is_null) {
  if (a.row.size() != table.columns || b.row.size() != table.columns) return false;
  const auto append = [&](const FieldPlan& field, const event::Value& value) {
    return WithTextWriter(*context, [&](auto* out) {
      return internal::WriteField(table, plan, field, value, context, out).ok();
    });
  };
  for (const FieldPlan& field : plan.fields) {
    const event::Value& left = internal::Resolve(a, field.column);
    const event::Value& right = internal::Resolve(b, field.column);
    if (!absent_is_null && left.kind == event::ValueKind::kAbsent &&
        right.kind == event::ValueKind::kNull)
      return false;
    if (left.kind == right.kind && left.text() == right.text()) continue;
    context->out->clear();
    if (!append(field, left)) return false;
    const bool left_null = context->wrote_null;
    const size_t middle = context->out->size();
    if (!append(field, right)) return false;
    if (left_null != context->wrote_null) return false;
    const absl::string_view both = context->out->view();
    if (both.substr(0, middle) != both.substr(middle)) return false;
  }
  return true;
}

}  // namespace walduct::encode
