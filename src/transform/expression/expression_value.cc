#include "transform/expression/expression_value.h"

#include <cmath>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "java/text/number_text.h"
#include "transform/template/template_edit.h"

namespace walduct::transform {
namespace {

using event::Scalar;

bool AsNumber(const ExpressionValue& value, double* number) {
  if (value.is_struct) return false;
  switch (value.scalar.kind) {
    case Scalar::Kind::kInteger:
      *number = static_cast<double>(value.scalar.integer);
      return true;
    case Scalar::Kind::kReal:
      *number = value.scalar.real;
      return true;
    case Scalar::Kind::kDecimal:
      return absl::SimpleAtod(value.scalar.text, number);
    default:
      return false;
  }
}

// A text of one character counts as that character beside a number.
bool AsCharacter(const ExpressionValue& value, double* number) {
  if (!value.is_text() || value.scalar.text.size() != 1) return false;
  *number = static_cast<double>(static_cast<unsigned char>(value.scalar.text[0]));
  return true;
}

// As Java's Double.compare: NaN is the largest, -0.0 is less than 0.0.
int CompareReal(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return (std::isnan(a) ? 1 : 0) - (std::isnan(b) ? 1 : 0);
  if (a < b || b < a) return a < b ? -1 : 1;
  return (std::signbit(a) ? 0 : 1) - (std::signbit(b) ? 0 : 1);
}

bool CompareNumbers(const ExpressionValue& a, const ExpressionValue& b, int* order) {
  double x = 0, y = 0;
  const bool x_number = AsNumber(a, &x), y_number = AsNumber(b, &y);
  if (!x_number && !y_number) return false;
  if ((!x_number && !AsCharacter(a, &x)) || (!y_number && !AsCharacter(b, &y))) return false;
  const bool real = a.scalar.kind == Scalar::Kind::kReal || b.scalar.kind == Scalar::Kind::kReal;
  *order = real ? CompareReal(x, y) : x < y ? -1 : x > y ? 1 : 0;
  return true;
}

// Of Java's int, which wraps around, unless one is a long.
ExpressionValue WholeSum(const ExpressionValue& a, const ExpressionValue& b) {
  using event::ConnectType;
  const bool wide = a.type == ConnectType::kInt64 || b.type == ConnectType::kInt64;
  const auto sum = static_cast<int64_t>(static_cast<uint64_t>(a.scalar.integer) +
                                        static_cast<uint64_t>(b.scalar.integer));
  return ExpressionValue{Scalar::Integer(wide ? sum : static_cast<int32_t>(sum)), false,
                         wide ? ConnectType::kInt64 : ConnectType::kInt32};
}

}  // namespace

bool Compare(const ExpressionValue& a, const ExpressionValue& b, int* order) {
  if (a.is_null() || b.is_null()) {
    *order = (a.is_null() ? 0 : 1) - (b.is_null() ? 0 : 1);
    return true;
  }
  if (a.is_struct || b.is_struct) return false;
  if (a.scalar.kind == Scalar::Kind::kInteger && b.scalar.kind == Scalar::Kind::kInteger) {
    *order = a.scalar.integer < b.scalar.integer ? -1 : a.scalar.integer > b.scalar.integer ? 1 : 0;
    return true;
  }
  if (CompareNumbers(a, b, order)) return true;
  if (a.scalar.kind != b.scalar.kind) return false;
  if (a.scalar.kind == Scalar::Kind::kBoolean) {
    *order = static_cast<int>(a.scalar.integer - b.scalar.integer);
    return true;
  }
  *order = a.scalar.text.compare(b.scalar.text);
  return true;
}

bool Equals(const ExpressionValue& a, const ExpressionValue& b) {
  if (a.is_null() || b.is_null()) return a.is_null() && b.is_null();
  if (a.is_struct || b.is_struct || a.scalar.kind != b.scalar.kind) return false;
  switch (a.scalar.kind) {
    case Scalar::Kind::kBoolean:
      return a.scalar.integer == b.scalar.integer;
    case Scalar::Kind::kInteger:
      return a.type == b.type && a.scalar.integer == b.scalar.integer;
    case Scalar::Kind::kReal:
      return a.type == b.type && CompareReal(a.scalar.real, b.scalar.real) == 0;
    default:  // decimals with their scale
      return a.scalar.text == b.scalar.text;
  }
}

bool Truth(const ExpressionValue& value) {
  if (value.is_struct) return true;
  switch (value.scalar.kind) {
    case Scalar::Kind::kNull:
      return false;
    case Scalar::Kind::kBoolean:
    case Scalar::Kind::kInteger:
      return value.scalar.integer != 0;
    case Scalar::Kind::kReal:
      return value.scalar.real < 0 || value.scalar.real > 0;  // neither does NaN count
    case Scalar::Kind::kDecimal:
      return value.scalar.text.find_first_of("123456789") != absl::string_view::npos;
    case Scalar::Kind::kBytes:
    case Scalar::Kind::kStruct:
      return true;
    default:  // texts, lists and maps
      return !value.scalar.text.empty();
  }
}

absl::StatusOr<ExpressionValue> Add(const ExpressionValue& a, const ExpressionValue& b,
                                    std::string* text) {
  double x = 0, y = 0;
  const bool number = AsNumber(a, &x);
  if (number && AsNumber(b, &y)) {
    const bool whole =
        a.scalar.kind == Scalar::Kind::kInteger && b.scalar.kind == Scalar::Kind::kInteger;
    if (!whole) return ExpressionValue{Scalar::Real(x + y), false, event::ConnectType::kDouble};
    return WholeSum(a, b);
  }
  if (!a.is_text() && (!b.is_text() || !(number || a.is_null())))
    return RecordError("the expression adds values that cannot be added");
  RETURN_IF_ERROR(AppendText(a, text));
  RETURN_IF_ERROR(AppendText(b, text));
  return ExpressionValue{Scalar::Text(*text)};
}

absl::Status AppendText(const ExpressionValue& value, std::string* text) {
  if (value.is_struct) return RecordError("the expression converts a struct to a string");
  switch (value.scalar.kind) {
    case Scalar::Kind::kNull:
      absl::StrAppend(text, "null");
      break;
    case Scalar::Kind::kInteger:
      absl::StrAppend(text, value.scalar.integer);
      break;
    case Scalar::Kind::kReal:
      if (value.type == event::ConnectType::kFloat) {
        java::AppendFloat(static_cast<float>(value.scalar.real), text);
      } else {
        java::AppendDouble(value.scalar.real, text);
      }
      break;
    case Scalar::Kind::kBoolean:
      absl::StrAppend(text, value.scalar.integer != 0 ? "true" : "false");
      break;
    case Scalar::Kind::kText:
      absl::StrAppend(text, value.scalar.text);
      break;
    case Scalar::Kind::kDecimal:
      java::AppendDecimal(value.scalar.text, text);
      break;
    default:
      return RecordError("the expression converts bytes, a list or a map to a string");
  }
  return absl::OkStatus();
}

}  // namespace walduct::transform
