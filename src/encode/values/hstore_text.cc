#include "encode/values/hstore_text.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "java/hash/hash_code.h"

namespace walduct::encode {
namespace {

bool TakeQuoted(absl::string_view* text, std::string* into, uint32_t* begin, uint32_t* size) {
  if (text->empty() || (*text)[0] != '"') return false;
  *begin = static_cast<uint32_t>(into->size());
  for (size_t i = 1; i < text->size(); ++i) {
    if ((*text)[i] == '"') {
      *size = static_cast<uint32_t>(into->size()) - *begin;
      text->remove_prefix(i + 1);
      return true;
    }
    if ((*text)[i] == '\\' && ++i == text->size()) return false;
    into->push_back((*text)[i]);
  }
  return false;
}

bool TakePrefix(absl::string_view* text, absl::string_view prefix) {
  if (!absl::StartsWith(*text, prefix)) return false;
  text->remove_prefix(prefix.size());
  return true;
}

bool TakePair(absl::string_view* text, Scratch* scratch, Scratch::Entry* entry) {
  if (!TakeQuoted(text, &scratch->entry_text, &entry->key_begin, &entry->key_size)) return false;
  if (!TakePrefix(text, "=>")) return false;
  entry->is_null = TakePrefix(text, "NULL");
  return entry->is_null ||
         TakeQuoted(text, &scratch->entry_text, &entry->value_begin, &entry->value_size);
}

bool ReadPairs(absl::string_view text, Scratch* scratch) {
  scratch->entries.clear();
  scratch->entry_text.clear();
  if (text.empty()) return true;
  do {
    Scratch::Entry entry{};
    if (!TakePair(&text, scratch, &entry)) return false;
    entry.hash = java::SpreadHash(java::StringHash(
        absl::string_view(scratch->entry_text).substr(entry.key_begin, entry.key_size)));
    entry.ordinal = static_cast<uint32_t>(scratch->entries.size());
    scratch->entries.push_back(entry);
  } while (TakePrefix(&text, ", "));
  return text.empty();
}

// Debezium goes through a java.util.HashMap: buckets in order, within a bucket the order of
// insertion.
void SortAsHashMap(std::vector<Scratch::Entry>* entries) {
  const auto mask = static_cast<uint32_t>(java::HashMapBuckets(entries->size()) - 1);
  std::sort(entries->begin(), entries->end(), [mask](const auto& a, const auto& b) {
    const uint32_t bucket_a = a.hash & mask;
    const uint32_t bucket_b = b.hash & mask;
    return bucket_a != bucket_b ? bucket_a < bucket_b : a.ordinal < b.ordinal;
  });
}

// JSON as Jackson writes it to a Java string: no surrogate escapes, those belong to the outer text.
void AppendInnerString(absl::string_view text, std::string* out) {
  constexpr char kHexDigits[] = "0123456789ABCDEF";
  constexpr char kShort[] = "btn fr";  // \b \t \n, none, \f \r: from 0x08
  out->push_back('"');
  for (char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out->push_back('\\');
      out->push_back(c);
    } else if (byte >= 0x08 && byte <= 0x0D && byte != 0x0B) {
      out->push_back('\\');
      out->push_back(kShort[byte - 8]);
    } else if (byte < 0x20) {
      out->append("\\u00");
      out->push_back(kHexDigits[byte >> 4]);
      out->push_back(kHexDigits[byte & 15]);
    } else {
      out->push_back(c);
    }
  }
  out->push_back('"');
}

}  // namespace

bool ParseHstore(absl::string_view text, Scratch* scratch) {
  if (!ReadPairs(text, scratch)) return false;
  SortAsHashMap(&scratch->entries);
  return true;
}

void PrintHstoreJson(const Scratch& scratch, std::string* json) {
  json->assign("{");
  for (const Scratch::Entry& entry : scratch.entries) {
    if (json->size() > 1) json->push_back(',');
    AppendInnerString(KeyOf(entry, scratch), json);
    json->push_back(':');
    if (entry.is_null) {
      json->append("null");
    } else {
      AppendInnerString(ValueOf(entry, scratch), json);
    }
  }
  json->push_back('}');
}

}  // namespace walduct::encode
