// Java's classes that walduct has an answer to: it has them, or its refusal says what to use. Pure.
#pragma once

#include "absl/strings/string_view.h"

namespace walduct::loader {

// type, as Connect names it: converter, header_converter, transformation, predicate.
bool KnowsClass(absl::string_view class_name, absl::string_view type);

}  // namespace walduct::loader
