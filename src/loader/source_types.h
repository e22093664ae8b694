// The sources that there are.
#pragma once

#include "absl/types/span.h"
#include "config/properties/findings.h"
#include "config/properties/property_set.h"
#include "engine/configuration/source_type.h"

namespace walduct::loader {

// The one that is there where no other is asked for comes last.
absl::Span<const engine::SourceType* const> SourceTypes();

// The first that the properties ask for.
const engine::SourceType& ChosenSource(const config::PropertySet& properties);

// What the properties of the sources ask of each other.
void CheckSources(const config::PropertySet& properties, config::Findings* findings);

}  // namespace walduct::loader
