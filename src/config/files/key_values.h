// KeyValues: the pairs of one configuration source in the order they were written, before any
// meaning is given to them.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace walduct::config {

using KeyValues = std::vector<std::pair<std::string, std::string>>;

// What a file held, with what is worth telling the operator about it.
struct ParsedFile {
  KeyValues values;
  std::vector<std::string> warnings = {};
  std::vector<std::string> problems = {};  // properties that cannot be read
  // By name: the value where it is not as written, and the name in the file where that is another.
  KeyValues expanded = {};
  KeyValues written = {};
};

}  // namespace walduct::config
