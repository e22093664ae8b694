#include "encode/types/default_value.h"

#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace walduct::encode {
namespace {

constexpr absl::string_view kClockKeywords[] = {"CURRENT_DATE", "CURRENT_TIME",
                                                "LOCALTIME"};  // prefixes of the …STAMP ones

// What the dot of a Java expression does not match.
bool HasLineEnd(absl::string_view text) {
  return text.find_first_of("\n\r") != absl::string_view::npos ||
         absl::StrContains(text, "\xC2\x85") || absl::StrContains(text, "\xE2\x80\xA8") ||
         absl::StrContains(text, "\xE2\x80\xA9");
}

bool IsFunctionCall(absl::string_view expression) {
  if (!expression.empty() && expression[0] == '(') expression.remove_prefix(1);
  size_t name = 0;
  while (name < expression.size() &&
         (absl::ascii_isalnum(static_cast<unsigned char>(expression[name])) ||
          expression[name] == '_' || expression[name] == '.')) {
    ++name;
  }
  if (name == 0 || name == expression.size() || expression[name] != '(') return false;
  const absl::string_view arguments = expression.substr(name);
  const size_t close = arguments.find(')');
  return close != absl::string_view::npos && !HasLineEnd(arguments.substr(0, close));
}

bool IsClock(absl::string_view expression) {
  for (absl::string_view keyword : kClockKeywords) {
    if (absl::StartsWith(expression, keyword)) return true;
  }
  return false;
}

// Every text is a value of the type, so that a bare expression says nothing unless it is a
// constant: of the type the column had before.
bool IsText(const TypeRow& row) {
  return row.reads == Reads::kString || row.reads == Reads::kSnapshotString;
}

bool IsConstant(absl::string_view expression) {
  return expression == "true" || expression == "false" ||
         absl::c_all_of(expression,
                        [](unsigned char c) { return absl::ascii_isdigit(c) || c == '.'; });
}

// Of the first two quotes with no end of a line between them.
std::optional<std::string> Literal(absl::string_view expression) {
  size_t open = expression.find('\'');
  while (true) {
    const size_t close = expression.find('\'', open + 1);
    if (close == absl::string_view::npos) return std::nullopt;
    const absl::string_view inside = expression.substr(open + 1, close - open - 1);
    if (!HasLineEnd(inside)) return std::string(inside);
    open = close;
  }
}

// Not the value that infinite ones have: the limit of what the form can hold, and none where it
// does not reach so far.
std::optional<std::string> InfiniteDefault(const std::string& literal, const TypeMapping& mapping) {
  if (mapping.row->postgres == "timestamptz") return std::nullopt;
  if (mapping.plan.reads == Reads::kTimestampMicros)
    return literal[0] == '-' ? "1000000-01-01 00:00:00 BC" : "1000000-01-01 00:00:00";
  if (mapping.plan.reads == Reads::kIsoTimestamp) return literal;
  return std::nullopt;
}

bool IsDecimalText(absl::string_view text) {
  return text != "NaN" && !absl::EndsWith(text, "Infinity");
}

constexpr char kEndOfDay[] = "24:00:00";

// The last nanosecond of the day, which Java takes for its end.
Constant LastNanosecond(ValuePlan plan) {
  if (plan.reads == Reads::kTimeNanos) {
    plan.reads = Reads::kInt64;
    return {"86399999999999", std::move(plan)};
  }
  if (plan.reads == Reads::kIsoTime) {
    plan.reads = Reads::kString;
    return {"23:59:59.999999999Z", std::move(plan)};
  }
  return {"23:59:59.999999", std::move(plan)};
}

std::optional<std::string> Bare(absl::string_view expression, const TypeRow& row) {
  if (row.becomes == event::ConnectType::kBoolean) {
    return expression == "true" ? "t" : "f";
  }
  if (IsText(row) && !IsConstant(expression)) return std::nullopt;
  return std::string(expression);
}

// As PostgreSQL would print the value; the type may still refuse to read it.
std::optional<std::string> DefaultText(const event::Column& column, const TypeMapping& mapping) {
  const TypeRow& row = *mapping.row;
  if (!column.default_expression || column.identity) return std::nullopt;
  if (mapping.array || mapping.nulled || row.function_default == nullptr) return std::nullopt;
  if (column.type->kind == event::TypeKind::kDomain) return std::nullopt;
  if (mapping.schema.type == event::ConnectType::kStruct) return std::nullopt;
  const absl::string_view expression = *column.default_expression;
  if (absl::StartsWith(expression, "NULL::")) return std::nullopt;
  if (IsFunctionCall(expression) || IsClock(expression)) return std::string(row.function_default);
  if (absl::StrContains(expression, "'")) {
    const std::optional<std::string> literal = Literal(expression);
    if (!literal) return std::nullopt;
    if (row.becomes == event::ConnectType::kBoolean) return literal == "true" ? "t" : "f";
    if (row.postgres == "numeric" && !IsDecimalText(*literal)) return std::nullopt;
    const bool infinite = literal == "infinity" || literal == "-infinity";
    return infinite && absl::StartsWith(row.postgres, "timestamp")
               ? InfiniteDefault(*literal, mapping)
               : literal;
  }
  return Bare(expression, row);
}

}  // namespace

std::optional<Constant> DefaultConstant(const event::Column& column, const TypeMapping& mapping,
                                        bool keep_lost) {
  // Of NULL in a generated column it would make the default.
  if (keep_lost && column.generated) return std::nullopt;
  std::optional<std::string> text = DefaultText(column, mapping);
  if (!text) return std::nullopt;
  if (!keep_lost) {
    if (mapping.row->postgres == "time" && text == kEndOfDay) return LastNanosecond(mapping.plan);
    if (mapping.row->postgres == "interval" && absl::EndsWith(*text, "infinity"))
      return Constant{mapping.row->function_default, mapping.plan};
  }
  return Constant{*std::move(text), mapping.plan};
}

}  // namespace walduct::encode
