// What a position of another server is, as a rule.
#pragma once

#include "absl/strings/string_view.h"

namespace walduct::offset {

inline constexpr absl::string_view kSharedNameHint =
    "another connector of this name may use this offset store: then give this one another name";

}  // namespace walduct::offset
