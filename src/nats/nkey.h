// NKeys: Ed25519 keys as NATS writes them. Pure.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace walduct::nats {

// The public key (U…) of a user's seed (SU…). InvalidArgument: it is none.
absl::StatusOr<std::string> PublicKeyOf(absl::string_view seed);

// The seed in a file of `nk -gen user`, or of credentials: the first line that is one; "": none.
std::string FindSeed(absl::string_view text);

}  // namespace walduct::nats
