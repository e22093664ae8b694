// Options of Debezium's EventRouter, and how configurations that were written for older releases,
// or from hearsay, are read.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "config/transforms/outbox_guess.h"
#include "config/transforms/transform_class.h"

namespace walduct::config {

extern const TransformOption kEventRouterOptions[17];
inline constexpr absl::string_view kEventRouterOlderOptions =
    "table.fields.additional.error.on.missing, tracing.span.context.field, "
    "tracing.operation.name, tracing.with.context.field.only";

// For TransformClass.
OptionProblem CheckEventRouter(const TransformOptionValues& options);
std::string ModernizeEventRouter(TransformOptionValues* options);
std::vector<Guess> GuessEventRouter(absl::string_view alias, TransformOptionValues* options);

}  // namespace walduct::config
