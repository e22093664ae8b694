// The files of src/console/assets, which the build makes part of the program. Immutable.
#pragma once

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace walduct::console {

struct Asset {
  absl::string_view name;  // "main.js"
  absl::string_view body;
};

absl::Span<const Asset> Assets();

}  // namespace walduct::console
