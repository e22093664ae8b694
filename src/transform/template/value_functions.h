// Functions of values that stages put into templates. Pure; thread-safe.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "event/record_template.h"

namespace walduct::transform {

// A callable (Span<const Scalar> in, std::string* buffer, Scalar* out) → Status as a ValueFunction.
template <typename Callable>
event::ValueFunctionPtr MakeFunction(Callable callable) {
  class Function final : public event::ValueFunction {
   public:
    explicit Function(Callable c) : callable_(std::move(c)) {}
    absl::Status Apply(absl::Span<const event::Scalar> in, std::string* buffer,
                       event::Scalar* out) const override {
      return callable_(in, buffer, out);
    }

   private:
    Callable callable_;
  };
  return std::make_shared<const Function>(std::move(callable));
}

// FunctionNode of one operand; a function of a constant is worked out at once. Its error then is an
// error now.
absl::StatusOr<event::Node> Converted(const event::Node& operand, event::ConnectSchemaPtr schema,
                                      const event::ValueFunctionPtr& function);

// "true" or "false".
event::Node IsNullNode(const event::Node& leaf);

// Member of a struct that is one value.
event::Node MemberOfLeaf(const event::Node& leaf, const std::string& member,
                         event::ConnectSchemaPtr schema);

// The schema's default as a value; null when there is none. Its text is in *buffer.
event::Scalar DefaultOf(const event::ConnectSchema& schema, std::string* buffer);

}  // namespace walduct::transform
