// CollectionOrder: the order in which a Java HashMap<String, …> lists its keys, for the tables of a
// transaction: Debezium takes it from there. A map that has grown stays large when it is cleared,
// so the order depends on the transactions before. Not thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "event/emission.h"

namespace walduct::route {

class CollectionOrder {
 public:
  // collections: in the order in which their keys came into the map.
  void Arrange(std::vector<event::CollectionCount>* collections);

 private:
  size_t buckets_ = 16;
  std::vector<std::pair<uint32_t, event::CollectionCount>> scratch_;  // by bucket
};

}  // namespace walduct::route
