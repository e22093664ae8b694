// A key as it stands in a stored offset: Debezium's, an Object[] as Java serialises it, in hex.
// What either engine has stored the other reads. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "event/type.h"

namespace walduct::incremental {

// The values of the columns that a table is walked by, as PostgreSQL prints them; absent: NULL.
using Key = std::vector<std::optional<std::string>>;

// types: of the key's columns. A key that is absent is Java's null.
std::string EncodeKey(const std::optional<Key>& key,
                      const std::vector<std::shared_ptr<const event::Type>>& types);
// InvalidArgument stored_key_malformed.
absl::StatusOr<std::optional<Key>> DecodeKey(absl::string_view hex);

}  // namespace walduct::incremental
