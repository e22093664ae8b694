#include "encode/values/sparse_vector_text.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/strip.h"
#include "java/hash/hash_code.h"

namespace walduct::encode {
namespace {

bool TakeIndex(absl::string_view* text, uint32_t* index) {
  const char* end = text->data() + text->size();
  if (text->empty() || !absl::ascii_isdigit(static_cast<unsigned char>(text->front())))
    return false;
  const auto result = std::from_chars(text->data(), end, *index);
  if (result.ec != std::errc()) return false;
  text->remove_prefix(static_cast<size_t>(result.ptr - text->data()));
  return true;
}

// index:value pairs; values as places in `all`.
bool ReadPairs(absl::string_view body, absl::string_view all,
               std::vector<Scratch::Entry>* entries) {
  entries->clear();
  bool more = !body.empty();
  while (more) {
    Scratch::Entry entry{};
    if (!TakeIndex(&body, &entry.hash) || !absl::ConsumePrefix(&body, ":")) return false;
    const absl::string_view value = TakeItem(&body);
    entry.value_begin = static_cast<uint32_t>(value.data() - all.data());
    entry.value_size = static_cast<uint32_t>(value.size());
    entry.ordinal = static_cast<uint32_t>(entries->size());
    entries->push_back(entry);
    more = absl::ConsumePrefix(&body, ",");
  }
  return body.empty();
}

}  // namespace

absl::string_view TakeItem(absl::string_view* text) {
  const absl::string_view item = text->substr(0, text->find(','));
  text->remove_prefix(item.size());
  return item;
}

bool ParseSparseVector(absl::string_view text, uint32_t* dimensions,
                       std::vector<Scratch::Entry>* entries) {
  const size_t close = text.find("}/");
  if (text.empty() || text[0] != '{' || close == absl::string_view::npos) return false;
  absl::string_view size = text.substr(close + 2);
  return TakeIndex(&size, dimensions) && size.empty() &&
         ReadPairs(text.substr(1, close - 1), text, entries);
}

bool FitsSparseSchema(uint32_t dimensions, const std::vector<Scratch::Entry>& entries) {
  constexpr uint32_t kMost = std::numeric_limits<int16_t>::max();
  return dimensions <= kMost && std::all_of(entries.begin(), entries.end(),
                                            [](const auto& entry) { return entry.hash <= kMost; });
}

void SortAsSizedHashMap(std::vector<Scratch::Entry>* entries) {
  const size_t size = entries->size();
  const auto mask = static_cast<uint32_t>(
      java::HashMapBuckets(size, std::bit_ceil(std::max<size_t>(size, 1))) - 1);
  std::sort(entries->begin(), entries->end(), [mask](const auto& a, const auto& b) {
    const uint32_t bucket_a = a.hash & mask;
    const uint32_t bucket_b = b.hash & mask;
    return bucket_a != bucket_b ? bucket_a < bucket_b : a.ordinal < b.ordinal;
  });
}

}  // namespace walduct::encode
