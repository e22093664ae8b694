// RowsApart: which rows of a batch may be marked though one before them is not acknowledged. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"

namespace walduct::poll {

// Of the rows from that one on, those that are acknowledged; not behind one of their key that is
// not: it is published again, and would come last. keys: row by row; absent: it waits for no other.
// *held: those that rows of earlier batches hold back, and then those of this one, too.
inline std::vector<size_t> RowsApart(size_t from, absl::Span<const std::optional<std::string>> keys,
                                     const absl::flat_hash_set<size_t>& acknowledged,
                                     absl::flat_hash_set<std::string>* held) {
  std::vector<size_t> apart;
  for (size_t row = from; row < keys.size(); ++row) {
    const std::optional<std::string>& key = keys[row];
    if (!acknowledged.contains(row)) {
      if (key) held->insert(*key);
    } else if (!key || !held->contains(*key)) {
      apart.push_back(row);
    }
  }
  return apart;
}

}  // namespace walduct::poll
