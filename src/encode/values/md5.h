// MD5 by OpenSSL, for name-based UUIDs only.
#pragma once

#include <array>
#include <cstdint>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace walduct::encode {

// FailedPrecondition md5_refused: no provider of OpenSSL offers it, as under FIPS. provider: a
// property query of OpenSSL's; nothing here is for security, so that "fips=yes" need not hold.
absl::StatusOr<std::array<uint8_t, 16>> Md5(absl::string_view message,
                                            const char* provider = "-fips");

}  // namespace walduct::encode
