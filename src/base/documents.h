// Documents that messages name, as "docs/start.md": in the sources that is where they are. What is
// installed has them in a folder of their own; people are told that one, as they have no other.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace walduct {

// The text with the paths of this program's installation, where it has documents.
std::string WithDocuments(absl::string_view text);
// folder: "/usr/share/doc/walduct"; empty: the text as it is.
std::string WithDocuments(absl::string_view text, absl::string_view folder);

}  // namespace walduct
