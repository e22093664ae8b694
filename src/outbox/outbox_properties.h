// The properties of outbox tables: their rows, what one asks of another, and the options they make.
#pragma once

#include "absl/types/span.h"
#include "config/properties/findings.h"
#include "config/properties/property_set.h"
#include "outbox/options.h"

namespace walduct::outbox {

absl::Span<const config::PropertyDefinition> OutboxProperties();

void CheckOutbox(const config::PropertySet& properties, config::Findings* findings);

// Expects values that passed their checks.
OutboxOptions BuildOutbox(const config::PropertySet& properties);

}  // namespace walduct::outbox
