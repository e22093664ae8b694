// Whether whoever sits before it wants what cannot be taken back.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace walduct::cli {

// Asks; where nobody is there to be asked, --yes has to be given, and that is said of the command.
bool IsConfirmed(absl::string_view command, const std::string& what);

}  // namespace walduct::cli
