// What an SQLSTATE of the server is taken for.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace walduct::operate {

// "57P01": five capitals and digits.
bool IsSqlState(absl::string_view text);
// The reasons that errors of that SQLSTATE may have, each once, those that they get later beside
// them; its class counts where it has no row of its own.
std::vector<std::string> ReasonsOfSqlState(absl::string_view sqlstate);

}  // namespace walduct::operate
