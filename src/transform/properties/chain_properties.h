// The door of the room: `transforms`, `predicates` and their options, from properties to a
// ChainSpec. Every mistake is found here, before any server is touched.
#pragma once

#include "absl/types/span.h"
#include "config/properties/definition.h"
#include "config/properties/findings.h"
#include "config/properties/property_set.h"
#include "transform/chain/chain_spec.h"

namespace walduct::transform {

// The rows of `transforms`, `predicates` and of all that begins with them.
absl::Span<const config::PropertyDefinition> ChainProperties();

// Adds an error per mistake; what is returned is of use only when there was none. With
// walduct.outbox.tables and walduct.outbox.route: EventRouters without a predicate see the rows of
// these tables only; without any EventRouter one with Debezium's defaults comes first.
ChainSpec ReadChain(const config::PropertySet& properties, config::Findings* findings);

}  // namespace walduct::transform
