// Properties by name, as configurations give them. Values may hold secrets.
#pragma once

#include <map>
#include <string>

namespace walduct::security {

using NamedValues = std::map<std::string, std::string>;

}  // namespace walduct::security
