// Where a process listens, if it does: the rows of this room's properties, and the struct they
// fill.
#pragma once

#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "config/properties/definition.h"
#include "config/properties/property_set.h"
#include "http/address.h"

namespace walduct::http {

// Immutable once built.
struct ListenOptions {
  std::optional<Address> address;
  bool encrypted = false;  // https
};

absl::Span<const config::PropertyDefinition> ListenProperties();

// HOST:PORT, or https://HOST:PORT.
absl::StatusOr<ListenOptions> ParseListen(absl::string_view text);

// Of checked properties.
ListenOptions BuildListen(const config::PropertySet& properties);

}  // namespace walduct::http
