// Base64 with padding. Pure. What is written has Base64Size(bytes) characters; the end is answered.
#pragma once

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace walduct::encode {

enum class Base64Alphabet { kStandard, kUrlSafe };

inline size_t Base64Size(size_t bytes) { return (bytes + 2) / 3 * 4; }

char* PutBase64(absl::string_view bytes, Base64Alphabet alphabet, char* to);

// The same for bytes given as pairs of hexadecimal digits. Null: odd length or another character.
char* PutBase64OfHex(absl::string_view hex, Base64Alphabet alphabet, char* to);

// The bytes themselves of pairs of hexadecimal digits. Null: as above.
char* PutBytesOfHex(absl::string_view hex, char* to);

// The digits as they are. Null: an odd number of them, or others than 0-9 and a-f.
char* PutLowerHex(absl::string_view hex, char* to);

// Bytes as pairs of lower-case hexadecimal digits.
char* PutHex(absl::string_view bytes, char* to);

}  // namespace walduct::encode
