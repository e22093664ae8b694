#include "java/hash/hash_code.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "base/utf8.h"

namespace walduct::java {
namespace {

uint32_t Add(uint32_t hash, uint32_t value) { return 31 * hash + value; }

}  // namespace

uint32_t StringHash(absl::string_view text) {
  uint32_t hash = 0;
  ForEachUtf16Unit(text, [&](char16_t unit) { hash = Add(hash, unit); });
  return hash;
}

uint32_t DoubleHash(double value) { return LongHash(std::bit_cast<uint64_t>(value)); }

uint32_t FloatHash(float value) { return std::bit_cast<uint32_t>(value); }

// From the last byte to the first, each with its sign.
uint32_t ByteBufferHash(absl::string_view bytes) {
  uint32_t hash = 1;
  for (size_t i = bytes.size(); i > 0; --i) {
    const auto byte = static_cast<signed char>(bytes[i - 1]);
    hash = Add(hash, static_cast<uint32_t>(int32_t{byte}));
  }
  return hash;
}

// 31 * unscaled.hashCode() + scale; BigInteger: its 32-bit words, highest first, times the sign.
uint32_t BigDecimalHash(absl::string_view digits) {
  const bool negative = !digits.empty() && digits[0] == '-';
  std::vector<uint32_t> words;  // lowest first
  uint32_t scale = 0;
  bool fraction = false;
  for (const char c : digits.substr(negative ? 1 : 0)) {
    if (c == '.') fraction = true;
    if (c < '0' || c > '9') continue;
    if (fraction) ++scale;
    uint64_t carry = static_cast<uint64_t>(c - '0');
    for (uint32_t& word : words) {
      carry += uint64_t{word} * 10;
      word = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
    if (carry > 0) words.push_back(static_cast<uint32_t>(carry));
  }
  uint32_t hash = 0;
  for (auto word = words.rbegin(); word != words.rend(); ++word) hash = Add(hash, *word);
  return Add(negative ? 0 - hash : hash, scale);
}

std::vector<size_t> HashMapOrder(const std::vector<absl::string_view>& keys, size_t buckets) {
  const size_t mask = HashMapBuckets(keys.size(), buckets) - 1;
  std::vector<size_t> bucket_of;
  for (const absl::string_view key : keys) bucket_of.push_back(SpreadHash(StringHash(key)) & mask);
  std::vector<size_t> order(keys.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return bucket_of[a] < bucket_of[b]; });
  return order;
}

}  // namespace walduct::java
