// How far a word is from another one: for "did you mean". Pure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace walduct {

// Insertions, deletions, replacements and swaps of neighbours that turn a into b.
size_t EditDistance(absl::string_view a, absl::string_view b);

// Those of names that may be meant by a misspelt one: the nearest; empty: none is near.
std::vector<std::string> SimilarNames(absl::string_view misspelt,
                                      absl::Span<const std::string> names, size_t most = 3);

}  // namespace walduct
