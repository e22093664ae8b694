// What an expression says about the records of one template: worked out when the template is known,
// so that paths become leaves or constants, and evaluated for each record.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "event/record_template.h"
#include "transform/expression/expression.h"
#include "transform/expression/expression_value.h"

namespace walduct::transform {

// An expression whose paths have become operands, constants or structs.
struct BoundExpression {
  const Expression* expression = nullptr;
  enum class Source { kExpression, kOperand, kConstant, kStruct, kError };
  Source source = Source::kExpression;
  absl::Status error;  // kError: of each record for which the path is looked at
  size_t operand = 0;
  event::ConnectType type = event::ConnectType::kString;  // kOperand, kConstant
  bool opaque = false;                          // kOperand, kConstant: a Date in Java, no number
  std::shared_ptr<const event::Node> constant;  // owns the text
  std::vector<BoundExpression> children;
};

// Finds what the paths of the expression mean in the template; adds the leaves that only a record
// can answer to *operands. The expression must outlive the result.
BoundExpression Bind(const Expression& expression, const event::RecordTemplate& record,
                     std::vector<event::Node>* operands);

// operands: the values of those leaves. The text of the result is in *buffer.
absl::StatusOr<ExpressionValue> Evaluate(const BoundExpression& bound,
                                         absl::Span<const event::Scalar> operands,
                                         std::string* buffer);

}  // namespace walduct::transform
