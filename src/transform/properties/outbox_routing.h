// What the outbox properties do to the configuration around them: walduct.outbox.tables binds the
// EventRouter to its tables, and a topic.prefix that names no topic need not be given. Pure
// functions.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "config/properties/property_set.h"
#include "transform/chain/chain_spec.h"
#include "transform/options/guess.h"

namespace walduct::java {
class RegexList;
}

namespace walduct::transform {

// The tables whose rows an EventRouter sees; absent: those of all tables.
std::shared_ptr<const java::RegexList> BoundOutboxTables(const config::PropertySet& properties);

// Puts an EventRouter with Debezium's defaults in front of a chain that has none.
void AddImplicitRouter(const config::PropertySet& properties, ChainSpec* chain);

// Sets topic.prefix when it is not given and every row that is captured goes through an
// EventRouter. name: the connector's. With walduct.strict the guess is made, but nothing is set.
std::optional<Guess> GuessTopicPrefix(const std::string& name, config::PropertySet* properties);

// A topic.prefix from the connector's name, for when none is given. Only where every record is
// routed to a topic of its own: the prefix then names no topic but those of heartbeats and
// transactions.
Guess DeriveTopicPrefix(absl::string_view connector_name, std::string* prefix);

}  // namespace walduct::transform
