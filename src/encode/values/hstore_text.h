// hstore text, as hstore_out writes it:
//   pair (", " pair)*     pair = quoted "=>" (quoted | NULL)
//   quoted = '"' with \" and \\ escaped '"'
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "encode/values/read_context.h"

namespace walduct::encode {

// The pairs in the order of Java's HashMap, which Debezium goes through: scratch->entries, places
// in scratch->entry_text.
bool ParseHstore(absl::string_view text, Scratch* scratch);

inline absl::string_view KeyOf(const Scratch::Entry& entry, const Scratch& scratch) {
  return absl::string_view(scratch.entry_text).substr(entry.key_begin, entry.key_size);
}
inline absl::string_view ValueOf(const Scratch::Entry& entry, const Scratch& scratch) {
  return absl::string_view(scratch.entry_text).substr(entry.value_begin, entry.value_size);
}

// Of what ParseHstore has left: a JSON object as Jackson writes it to a Java string. Replaces
// *json.
void PrintHstoreJson(const Scratch& scratch, std::string* json);

}  // namespace walduct::encode
