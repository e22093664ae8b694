#include "incremental/chunks/place.h"

#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"

namespace walduct::incremental {

std::string Place::Text() const { return absl::StrCat("(", block, ",", number, ")"); }

std::optional<Place> ParsePlace(absl::string_view text) {
  if (!absl::ConsumePrefix(&text, "(") || !absl::ConsumeSuffix(&text, ")")) return std::nullopt;
  const std::vector<absl::string_view> parts = absl::StrSplit(text, ',');
  Place place;
  if (parts.size() != 2 || !absl::SimpleAtoi(parts[0], &place.block) ||
      !absl::SimpleAtoi(parts[1], &place.number))
    return std::nullopt;
  return place;
}

std::optional<uint64_t> BlocksBefore(const std::optional<Key>& place) {
  if (!place || place->size() != 1 || !place->front()) return std::nullopt;
  const std::optional<Place> parsed = ParsePlace(*place->front());
  return parsed ? std::optional(parsed->block) : std::nullopt;
}

}  // namespace walduct::incremental
