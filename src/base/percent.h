// Percent-encoding, as URLs have it and names of files that may be any text.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace walduct {

// What RFC 3986 lets stand in any part of a URL, beside letters and digits.
constexpr absl::string_view kUnreserved = "-._~";

// plain: what stays as it is beside letters and digits of ASCII. Others become %2F.
std::string EncodePercent(absl::string_view text, absl::string_view plain = kUnreserved);
// What is no %XX stays.
std::string DecodePercent(absl::string_view text);

}  // namespace walduct
