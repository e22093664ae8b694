// Half of a surrogate pair that has lost the other, as three bytes: text of a database never holds
// one, JSON inside it can ("\ud800"), and so can a value that is made of such JSON.
#pragma once

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "base/out_buffer.h"

namespace walduct::encode {

// Whether there may be one.
inline bool MayHaveHalfPair(absl::string_view text) { return absl::StrContains(text, '\xED'); }

// A JSON string, with it as Jackson writes it: as it was written.
void AppendJsonWithHalfPairs(absl::string_view text, OutBuffer* out);

// With it as Java's encoder of UTF-8 writes it: as a question mark.
std::string WithoutHalfPairs(absl::string_view text);

}  // namespace walduct::encode
