// The scripts of deploy/completion, which are part of the program.
#pragma once

#include "absl/strings/string_view.h"

namespace walduct::cli {

extern const absl::string_view kBashCompletion, kZshCompletion, kFishCompletion;

}  // namespace walduct::cli
