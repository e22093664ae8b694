// Names of properties against each other. Pure functions.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace walduct::config {

// Does text match a definition's name, placeholders included?
bool MatchesName(absl::string_view name_or_pattern, absl::string_view text);

// The one of `names` nearest to a misspelt one; empty when none is near.
std::string NearestOf(absl::string_view name, absl::Span<const absl::string_view> names);

}  // namespace walduct::config
