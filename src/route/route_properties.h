// The properties of topics, keys and skipped changes: their rows, and the options they make.
#pragma once

#include "absl/types/span.h"
#include "config/properties/findings.h"
#include "config/properties/property_set.h"
#include "route/options.h"

namespace walduct::route {

absl::Span<const config::PropertyDefinition> MessageProperties();
absl::Span<const config::PropertyDefinition> TopicProperties();
absl::Span<const config::PropertyDefinition> OperationProperties();

void WarnOfOperations(const config::PropertySet& properties, config::Findings* findings);

// Expects values that passed their checks.
RouteOptions BuildRoute(const config::PropertySet& properties);

}  // namespace walduct::route
