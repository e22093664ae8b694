// The properties of snapshots: their rows, what one asks of another, and the options they make.
#pragma once

#include "absl/types/span.h"
#include "config/properties/findings.h"
#include "config/properties/property_set.h"
#include "snapshot/options.h"

namespace walduct::snapshot {

absl::Span<const config::PropertyDefinition> SnapshotProperties();

void CheckSnapshot(const config::PropertySet& properties, config::Findings* findings);
void WarnOfOverrides(const config::PropertySet& properties, config::Findings* findings);

// Expects values that passed their checks.
SnapshotOptions BuildSnapshot(const config::PropertySet& properties);

}  // namespace walduct::snapshot
