#include "transform/collection_order.h"

#include <algorithm>

namespace walduct::transform {
namespace {

// Bytes of the UTF-8 sequence that starts with this byte.
size_t SequenceSize(unsigned char byte) {
  if (byte < 0x80) return 1;
  if (byte < 0xE0) return 2;
  return byte < 0xF0 ? 3 : 4;
}

// The code point at the start of text, whose sequence has size bytes.
uint32_t CodePoint(absl::string_view text, size_t size) {
  const auto first = static_cast<unsigned char>(text[0]);
  uint32_t point = size == 1 ? first : first & (0xFFu >> (size + 1));
  for (size_t i = 1; i < size; ++i) {
    point = point << 6 | (static_cast<unsigned char>(text[i]) & 0x3Fu);
  }
  return point;
}

}  // namespace

uint32_t JavaHash(absl::string_view text) {
  uint32_t hash = 0;
  while (!text.empty()) {
    const size_t size = std::min(SequenceSize(static_cast<unsigned char>(text[0])), text.size());
    const uint32_t point = CodePoint(text, size);
    if (point >= 0x10000) {
      // Java counts the two halves of a surrogate pair.
      hash = hash * 31 + (0xD800 + ((point - 0x10000) >> 10));
      hash = hash * 31 + (0xDC00 + ((point - 0x10000) & 0x3FF));
    } else {
      hash = hash * 31 + point;
    }
    text.remove_prefix(size);
  }
  return hash;
}

void CollectionOrder::Arrange(std::vector<event::CollectionCount>* collections) {
  while (collections->size() * 4 > buckets_ * 3) buckets_ *= 2;
  scratch_.clear();
  for (const event::CollectionCount& collection : *collections) {
    const uint32_t hash = JavaHash(collection.name);
    scratch_.emplace_back((hash ^ hash >> 16) & (buckets_ - 1), collection);
  }
  std::stable_sort(scratch_.begin(), scratch_.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (size_t i = 0; i < scratch_.size(); ++i) (*collections)[i] = scratch_[i].second;
}

}  // namespace walduct::transform
