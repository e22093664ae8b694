// Object.hashCode of the classes that Kafka Connect holds values in, and the order of a HashMap
// that follows from it. Sources: java.lang.String, Long, Double, java.math.BigDecimal,
// java.util.HashMap. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"

namespace walduct::java {

// String.hashCode of a text in UTF-8: over its UTF-16 units.
uint32_t StringHash(absl::string_view text);
inline uint32_t BooleanHash(bool value) { return value ? 1231 : 1237; }
// Also of a java.util.Date, from its milliseconds.
inline uint32_t LongHash(uint64_t value) { return static_cast<uint32_t>(value ^ value >> 32); }
uint32_t DoubleHash(double value);
uint32_t FloatHash(float value);
// Of a ByteBuffer over these bytes.
uint32_t ByteBufferHash(absl::string_view bytes);
// digits: as BigDecimal.toPlainString prints them ("-12.30").
uint32_t BigDecimalHash(absl::string_view digits);

// HashMap mixes the upper half of a hash into its lower one before it takes the bucket.
inline uint32_t SpreadHash(uint32_t hash) { return hash ^ hash >> 16; }
// Buckets of a HashMap that began with `buckets` (16 when new) and holds `size` keys.
inline size_t HashMapBuckets(size_t size, size_t buckets = 16) {
  while (size * 4 > buckets * 3) buckets *= 2;
  return buckets;
}

// The order in which a HashMap that began with `buckets` lists its keys: their places in `keys`,
// which are different and in the order in which they came.
std::vector<size_t> HashMapOrder(const std::vector<absl::string_view>& keys, size_t buckets = 16);

}  // namespace walduct::java
