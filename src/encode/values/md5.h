// MD5 (RFC 1321), for name-based UUIDs only. Pure.
#pragma once

#include <array>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace walduct::encode {

std::array<uint8_t, 16> Md5(absl::string_view message);

}  // namespace walduct::encode
