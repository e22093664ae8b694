// Base64, standard alphabet with padding. Pure.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace walduct::encode {

void AppendBase64(absl::string_view bytes, std::string* out);

// The same for bytes given as pairs of hexadecimal digits. False: odd length or another character; out may have grown.
bool AppendBase64OfHex(absl::string_view hex, std::string* out);

}  // namespace walduct::encode
