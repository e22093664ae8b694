// pgvector: vector and halfvec `[x,y,…]`, sparsevec `{index:x,…}/dimensions`.
#include <algorithm>
#include <charconv>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/strip.h"
#include "encode/values/appenders.h"
#include "encode/values/time_format.h"

namespace walduct::encode {
namespace {

// The text up to the next delimiter or the end, taken off the front.
absl::string_view TakeItem(absl::string_view* text, char delimiter) {
  const absl::string_view item = text->substr(0, text->find(delimiter));
  text->remove_prefix(item.size());
  return item;
}

Outcome AppendItems(absl::string_view text, AppendFn append, const ValuePlan& plan,
                    ValueContext* context) {
  if (!absl::ConsumePrefix(&text, "[") || !absl::ConsumeSuffix(&text, "]"))
    return Outcome::kMalformed;
  const absl::string_view separator = context->format == TextFormat::kStruct ? ", " : ",";
  context->out->push_back('[');
  bool more = !text.empty();
  while (more) {
    const Outcome outcome = append(TakeItem(&text, ','), plan, context);
    if (outcome != Outcome::kOk) return outcome;
    more = absl::ConsumePrefix(&text, ",");
    if (more) context->out->append(separator.data(), separator.size());
  }
  context->out->push_back(']');
  return Outcome::kOk;
}

bool TakeIndex(absl::string_view* text, uint32_t* index) {
  const char* end = text->data() + text->size();
  if (text->empty() || !absl::ascii_isdigit(static_cast<unsigned char>(text->front())))
    return false;
  const auto result = std::from_chars(text->data(), end, *index);
  if (result.ec != std::errc()) return false;
  text->remove_prefix(static_cast<size_t>(result.ptr - text->data()));
  return true;
}

// index:value pairs into scratch->entries; values as places in `all`.
bool ReadPairs(absl::string_view body, absl::string_view all,
               std::vector<Scratch::Entry>* entries) {
  entries->clear();
  bool more = !body.empty();
  while (more) {
    Scratch::Entry entry{};
    if (!TakeIndex(&body, &entry.hash) || !absl::ConsumePrefix(&body, ":")) return false;
    const absl::string_view value = TakeItem(&body, ',');
    entry.value_begin = static_cast<uint32_t>(value.data() - all.data());
    entry.value_size = static_cast<uint32_t>(value.size());
    entry.ordinal = static_cast<uint32_t>(entries->size());
    entries->push_back(entry);
    more = absl::ConsumePrefix(&body, ",");
  }
  return body.empty();
}

// Debezium goes through a java.util.HashMap made for as many entries as there are: buckets in
// order, then order of insertion.
void SortAsHashMap(std::vector<Scratch::Entry>* entries) {
  uint32_t capacity = 1;
  while (capacity < entries->size()) capacity *= 2;
  while (entries->size() > capacity * 3 / 4) capacity *= 2;
  std::sort(entries->begin(), entries->end(), [mask = capacity - 1](const auto& a, const auto& b) {
    const uint32_t bucket_a = a.hash & mask;
    const uint32_t bucket_b = b.hash & mask;
    return bucket_a != bucket_b ? bucket_a < bucket_b : a.ordinal < b.ordinal;
  });
}

// Both are 16 bits in Debezium's schema.
bool FitsSchema(uint32_t dimensions, const std::vector<Scratch::Entry>& entries) {
  constexpr uint32_t kMost = std::numeric_limits<int16_t>::max();
  return dimensions <= kMost && std::all_of(entries.begin(), entries.end(),
                                            [](const auto& entry) { return entry.hash <= kMost; });
}

Outcome AppendPairs(absl::string_view all, const ValuePlan& plan, ValueContext* context) {
  const bool java = context->format == TextFormat::kStruct;
  std::string* out = context->out;
  out->push_back(java ? '{' : '[');
  const char* separator = "";
  for (const Scratch::Entry& entry : context->scratch->entries) {
    out->append(separator);
    separator = java ? ", " : ",";
    if (!java) out->push_back('[');
    AppendNumber(entry.hash, out);
    out->push_back(java ? '=' : ',');
    const Outcome outcome =
        AppendFloat8(all.substr(entry.value_begin, entry.value_size), plan, context);
    if (outcome != Outcome::kOk) return outcome;
    if (!java) out->push_back(']');
  }
  out->push_back(java ? '}' : ']');
  return Outcome::kOk;
}

}  // namespace

Outcome AppendVector(absl::string_view text, const ValuePlan& plan, ValueContext* context) {
  return AppendItems(text, AppendFloat8, plan, context);
}

Outcome AppendHalfVector(absl::string_view text, const ValuePlan& plan, ValueContext* context) {
  return AppendItems(text, AppendFloat4, plan, context);
}

Outcome AppendSparseVector(absl::string_view text, const ValuePlan& plan, ValueContext* context) {
  const size_t close = text.find("}/");
  if (text.empty() || text[0] != '{' || close == absl::string_view::npos)
    return Outcome::kMalformed;
  absl::string_view size = text.substr(close + 2);
  uint32_t dimensions = 0;
  std::vector<Scratch::Entry>* entries = &context->scratch->entries;
  if (!TakeIndex(&size, &dimensions) || !size.empty() ||
      !ReadPairs(text.substr(1, close - 1), text, entries)) {
    return Outcome::kMalformed;
  }
  if (!FitsSchema(dimensions, *entries)) return Outcome::kNoRoom;
  SortAsHashMap(entries);
  const bool java = context->format == TextFormat::kStruct;
  context->out->append(java ? "Struct{dimensions=" : "{\"dimensions\":");
  AppendNumber(dimensions, context->out);
  context->out->append(java ? ",vector=" : ",\"vector\":");
  const Outcome outcome = AppendPairs(text, plan, context);
  context->out->push_back('}');
  return outcome;
}

}  // namespace walduct::encode
