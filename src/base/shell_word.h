// Words for lines that people copy into a shell. Pure.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace walduct {

// As a word of a shell: 'it'\''s', and plain where that will do.
std::string ShellWord(absl::string_view text);

}  // namespace walduct
