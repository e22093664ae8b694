// What the outbox properties do to the configuration around them: walduct.outbox.tables binds the
// EventRouter to its tables, and a topic.prefix that names no topic need not be given. Pure
// functions.
#pragma once

#include <optional>
#include <string>

#include "config/options/transform_spec.h"
#include "config/properties/property_set.h"
#include "config/transforms/outbox_guess.h"

namespace walduct::config {

// With walduct.outbox.tables and walduct.outbox.route: EventRouters without a predicate see the
// rows of these tables only; without any EventRouter one with Debezium's defaults comes first.
void BindOutboxTables(const PropertySet& properties, TransformChainOptions* chain);

// Sets topic.prefix when it is not given and every row that is captured goes through an
// EventRouter. name: the connector's. With walduct.strict the guess is made, but nothing is set.
std::optional<Guess> GuessTopicPrefix(const std::string& name, PropertySet* properties);

}  // namespace walduct::config
