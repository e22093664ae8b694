// Base64 with padding. Pure.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace walduct::encode {

enum class Base64Alphabet { kStandard, kUrlSafe };

void AppendBase64(absl::string_view bytes, std::string* out,
                  Base64Alphabet alphabet = Base64Alphabet::kStandard);

// The same for bytes given as pairs of hexadecimal digits. False: odd length or another character;
// out may have grown.
bool AppendBase64OfHex(absl::string_view hex, std::string* out,
                       Base64Alphabet alphabet = Base64Alphabet::kStandard);

}  // namespace walduct::encode
