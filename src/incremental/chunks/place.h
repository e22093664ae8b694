// Place: where a row stands in the files of its table: block and number, as ctid tells them. A
// value; pure.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "incremental/stored/stored_key.h"

namespace walduct::incremental {

struct Place {
  uint64_t block = 0;
  uint32_t number = 0;  // in its block; rows begin at 1

  auto operator<=>(const Place&) const = default;
  std::string Text() const;  // "(12,3)"
};

// How many blocks are in front of a key that is a place; absent: it is none.
std::optional<uint64_t> BlocksBefore(const std::optional<Key>& place);

std::optional<Place> ParsePlace(absl::string_view text);

}  // namespace walduct::incremental
