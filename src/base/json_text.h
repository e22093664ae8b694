// JSON string text exactly as Jackson's default generator writes it: UTF-8 kept raw; '"' and '\\' escaped; \b \t \n \f \r
// short; every other control byte as \u00XX with upper-case digits; '/' and 0x7F kept.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace walduct {

// Appends text as a quoted JSON string. Bulk-copies runs that need no escape.
void AppendJsonString(absl::string_view text, std::string* out);
// The same without the surrounding quotes.
void AppendJsonEscaped(absl::string_view text, std::string* out);

}  // namespace walduct
