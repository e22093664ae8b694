// The expression language of Filter and ContentBasedRouter: understood, or refused with the place.
#include <cstddef>
#include <cstdint>

#include "absl/strings/match.h"
#include "base/check.h"
#include "transform/expression/expression.h"

namespace {

// Whoever evaluates relies on it.
void CheckShape(const walduct::transform::Expression& expression) {
  using Kind = walduct::transform::Expression::Kind;
  CHECK(expression.path.size() == expression.safe.size() || expression.kind != Kind::kPath);
  if (expression.kind == Kind::kChoice) CHECK(expression.children.size() == 3);
  if (expression.kind == Kind::kNot) CHECK(expression.children.size() == 1);
  if (expression.kind == Kind::kFullMatch || expression.kind == Kind::kPartMatch)
    CHECK(expression.regex != nullptr && !expression.children.empty());
  for (const auto& child : expression.children) CheckShape(child);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* input, size_t size) {
  const absl::string_view text(reinterpret_cast<const char*>(input), size);
  const auto expression = walduct::transform::ParseExpression(text);
  if (!expression.ok()) {
    CHECK(expression.status().code() == absl::StatusCode::kInvalidArgument);
    return 0;
  }
  CheckShape(*expression);
  return 0;
}
