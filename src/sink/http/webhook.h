// Signatures by Standard Webhooks: HMAC-SHA256 over id, time and body. Pure.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace walduct::sink {

// secret: base64 of 24 to 64 bytes, with "whsec_" in front or without. InvalidArgument: says what
// is wrong, not the secret.
absl::StatusOr<std::string> WebhookKey(absl::string_view secret);

// "v1,…"
std::string WebhookSignature(absl::string_view key, absl::string_view id, int64_t seconds,
                             absl::string_view body);

}  // namespace walduct::sink
