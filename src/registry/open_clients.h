// The clients of a connector's registries.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "base/clock.h"
#include "event/schema_ids.h"

namespace walduct::registry {

struct RegistriesOptions;

// Of the key's and of the value's converter; null: it needs none. Both may be the same. Reaches no
// server.
using Clients = std::pair<std::shared_ptr<event::SchemaIds>, std::shared_ptr<event::SchemaIds>>;
absl::StatusOr<Clients> OpenClients(const RegistriesOptions& options, const std::string& connector,
                                    Clock& clock);

}  // namespace walduct::registry
