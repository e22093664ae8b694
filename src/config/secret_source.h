// Secrets that change while a process runs: Kubernetes, Vault and their like rewrite a file.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "config/properties/property_set.h"

namespace walduct::config {

// Resolves the ${…} references of a property anew at each call; nullopt when that fails now. Empty
// when the value has none. Thread-safe; reads files.
std::function<std::optional<std::string>()> ReadAgain(const PropertySet& properties,
                                                      absl::string_view name);

// Whether a property comes from the environment alone: ReadAgain gives the same as long as the
// process runs.
bool IsOfEnvironment(const PropertySet& properties, absl::string_view name);

// As ReadAgain, of all properties: the set as it would be loaded now. Empty when no value has any.
std::function<std::optional<PropertySet>()> ReadAllAgain(const PropertySet& properties);

}  // namespace walduct::config
