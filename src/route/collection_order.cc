#include "route/collection_order.h"

#include <algorithm>

#include "java/hash/hash_code.h"

namespace walduct::route {

void CollectionOrder::Arrange(std::vector<event::CollectionCount>* collections) {
  buckets_ = java::HashMapBuckets(collections->size(), buckets_);
  scratch_.clear();
  for (const event::CollectionCount& collection : *collections) {
    const uint32_t hash = java::SpreadHash(java::StringHash(collection.name));
    scratch_.emplace_back(hash & static_cast<uint32_t>(buckets_ - 1), collection);
  }
  std::stable_sort(scratch_.begin(), scratch_.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (size_t i = 0; i < scratch_.size(); ++i) (*collections)[i] = scratch_[i].second;
}

}  // namespace walduct::route
