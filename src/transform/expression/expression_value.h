// What operators of Groovy make of values while an expression is evaluated. Pure.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "event/connect_schema.h"
#include "event/scalar.h"

namespace walduct::transform {

// A struct is only known to be there. Texts are borrowed.
struct ExpressionValue {
  event::Scalar scalar;
  bool is_struct = false;
  // Of which of Java's classes a number is.
  event::ConnectType type = event::ConnectType::kString;

  bool is_null() const { return !is_struct && scalar.is_null(); }
  bool is_text() const { return !is_struct && scalar.kind == event::Scalar::Kind::kText; }
};

// -1, 0, 1; false where the two cannot be compared. Null is less than anything else.
bool Compare(const ExpressionValue& a, const ExpressionValue& b, int* order);

// Java's equals, which numbers of different classes never are.
bool Equals(const ExpressionValue& a, const ExpressionValue& b);

// Groovy's truth.
bool Truth(const ExpressionValue& value);

// a + b: the sum of numbers, or text appended to *text, which the result then borrows.
absl::StatusOr<ExpressionValue> Add(const ExpressionValue& a, const ExpressionValue& b,
                                    std::string* text);

// The value as toString prints it; "null". InvalidArgument: a struct.
absl::Status AppendText(const ExpressionValue& value, std::string* text);

}  // namespace walduct::transform
