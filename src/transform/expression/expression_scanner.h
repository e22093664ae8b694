// The words of an expression: signs, names, texts and numbers, one after the other.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "transform/expression/expression.h"

namespace walduct::transform {

class ExpressionScanner {
 protected:
  // text must outlive the object.
  explicit ExpressionScanner(absl::string_view text) : text_(text), rest_(text) {}

  // InvalidArgument: "at 12: 'what stands there' " and what is wrong with it.
  absl::Status Wrong(absl::string_view what) const;

  void SkipBlanks();
  bool Take(absl::string_view sign);
  // A word, not the beginning of a longer one.
  bool TakeWord(absl::string_view word);
  absl::StatusOr<std::string> ParseName();
  // In single or double quotes, or between slashes.
  absl::StatusOr<std::string> ParseText();
  absl::StatusOr<Expression> ParseNumber();

  const absl::string_view text_;
  absl::string_view rest_;
};

}  // namespace walduct::transform
