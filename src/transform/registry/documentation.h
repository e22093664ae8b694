// docs/transforms.md: what transforms are here, and the table of all classes and their options.
#pragma once

#include <string>

namespace walduct::transform {

std::string TransformsMarkdown();

}  // namespace walduct::transform
