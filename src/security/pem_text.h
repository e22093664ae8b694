// PEM as it arrives in a property: Java takes it on one line, too.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace walduct::security {

// Every block on lines of its own, its base64 on lines of 64 characters, whatever stood between
// (spaces, line breaks, a backslash and an n). Text without a whole block is returned as it is.
std::string NormalizePem(absl::string_view text);

}  // namespace walduct::security
