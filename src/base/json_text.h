// JSON string text exactly as Jackson's UTF-8 generator writes it: UTF-8 kept raw up to U+FFFF,
// beyond it a pair of \uXXXX surrogates; '"' and '\\' escaped; \b \t \n \f \r short; every other
// control byte as \u00XX; digits in upper case; '/' and 0x7F kept. Bytes that are not UTF-8 are
// copied as they are.
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "base/out_buffer.h"

namespace walduct {

// Appends text as a quoted JSON string. Bulk-copies runs that need no escape.
void AppendJsonString(absl::string_view text, OutBuffer* out);
void AppendJsonString(absl::string_view text, std::string* out);
// The same without the surrounding quotes.
void AppendJsonEscaped(absl::string_view text, OutBuffer* out);
void AppendJsonEscaped(absl::string_view text, std::string* out);

}  // namespace walduct
