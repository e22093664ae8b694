// Subjects of NATS: tokens with dots between them. Pure.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace walduct::nats {

// "" when records can be published to it: tokens that are not empty, without spaces and wildcards.
std::string CheckSubject(absl::string_view subject);
// The same where tokens may be wildcards: * for one, > for all that follow.
std::string CheckPattern(absl::string_view pattern);

bool Takes(absl::string_view pattern, absl::string_view subject);

}  // namespace walduct::nats
