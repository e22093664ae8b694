// exactly.once.support and what belongs to it: the rows, what they ask of the properties of several
// rooms, and what is made of them.
#pragma once

#include <optional>
#include <string>

#include "absl/time/time.h"
#include "absl/types/span.h"
#include "config/properties/findings.h"
#include "config/properties/property_set.h"

namespace walduct::loader {

absl::Span<const config::PropertyDefinition> ExactlyOnceProperties();

// Of the connector's transactions; empty: it has none. Connect's name for them where a group is
// given, so that a worker which takes the connector over shuts this one out, and the other way
// round.
std::string TransactionalId(const config::PropertySet& properties, const std::string& name);

void CheckExactlyOnce(const config::PropertySet& properties, config::Findings* findings);

// Of transactions; absent: the default.
std::optional<absl::Duration> CommitInterval(const config::PropertySet& properties);

}  // namespace walduct::loader
