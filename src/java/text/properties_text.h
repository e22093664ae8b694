// Java .properties text as java.util.Properties.load reads it, except that the bytes are taken as
// UTF-8 when they are valid UTF-8 and as ISO-8859-1 (Java's rule) otherwise, with a warning.
//
//   comment      '#' or '!' first on a line
//   pair         key, then '=', ':' or blanks; blanks around the separator are dropped, blanks at
//                the end of a value kept
//   escapes      \t \n \r \f \uXXXX; '\' before any other character is dropped; '\' at the end
//                joins the next line
//   a key alone has the empty value; the last of several equal keys wins
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace walduct::java {

struct Properties {
  std::vector<std::pair<std::string, std::string>> values;  // in the order they were written
  std::vector<std::string> warnings;
};

// InvalidArgument for a malformed \uXXXX, naming the line.
absl::StatusOr<Properties> ParseProperties(absl::string_view text);

}  // namespace walduct::java
