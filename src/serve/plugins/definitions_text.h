// definitions.tsv, which the build makes a part of the program.
#pragma once

#include "absl/strings/string_view.h"

namespace walduct::serve {

absl::string_view DefinitionsText();

}  // namespace walduct::serve
