// Text out of the XML that some services answer in: flat, without attributes that matter. Pure.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace walduct::aws {

// What stands between <name> and </name>, the first time, as it is; "": there is none.
absl::string_view ElementIn(absl::string_view xml, absl::string_view name);
// Of every one.
std::vector<absl::string_view> ElementsIn(absl::string_view xml, absl::string_view name);
// The same with entities replaced.
std::string TextIn(absl::string_view xml, absl::string_view name);

}  // namespace walduct::aws
