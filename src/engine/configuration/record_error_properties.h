// The properties errors.* of records that cannot be published: their rows, what one asks of
// another, and the options they make.
#pragma once

#include "absl/types/span.h"
#include "config/properties/findings.h"
#include "config/properties/property_set.h"

namespace walduct::engine {

struct RecordErrorOptions;  // record_error_options.h

absl::Span<const config::PropertyDefinition> RecordErrorProperties();

void CheckRecordErrors(const config::PropertySet& properties, config::Findings* findings);

// Expects values that passed their checks. The transforms' classes are another room's, and are not
// set here.
RecordErrorOptions BuildRecordErrors(const config::PropertySet& properties);

}  // namespace walduct::engine
