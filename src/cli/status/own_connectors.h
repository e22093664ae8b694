// Of an answer of /status only the connectors that -f names: what else a process runs, or another
// process at the same address, was not asked for. Pure.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace walduct::cli {

// The answer without others; names: as the files say, none: all that is there. Unavailable
// other_process_answers: the process at url runs none of them.
absl::StatusOr<std::string> OwnConnectors(absl::string_view json,
                                          const std::vector<std::string>& names,
                                          absl::string_view url);

}  // namespace walduct::cli
