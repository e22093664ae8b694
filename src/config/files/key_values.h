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
  std::vector<std::string> warnings;
};

}  // namespace walduct::config
