// Lists inside property values. Pure functions.
#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace walduct::java {

// Comma-separated, trimmed, empty items dropped.
std::vector<std::string> SplitCommaList(absl::string_view list);

// Is item one of "a, b, c"?
bool ListContains(absl::string_view list, absl::string_view item);

// The part of a Java class name after the last dot.
absl::string_view SimpleClassName(absl::string_view class_name);

}  // namespace walduct::java
