// LoadReport: what a load tells the operator about the properties given.
#pragma once

#include <string>
#include <vector>

namespace walduct::config {

enum class PropertyStatus {
  kHonoured,
  kDefault,  // honoured, same as the default
  kIgnored,  // accepted without effect; note says why
  kNotYet,   // not supported; the value changes no data, so it is only warned about
  kUnknown,  // note holds the nearest known name, if any
  kRenamed,  // alias of an older release; note holds the name used
};

struct PropertyReport {
  std::string name;
  std::string value;  // masked when secret
  PropertyStatus status;
  std::string note;
};

// All problems at once: `errors` non-empty means refused (exit 2); the rest is filled either way.
struct LoadReport {
  std::vector<PropertyReport> properties;  // in file order
  std::vector<std::string> errors;         // "property 'slot.name': value 'xx-aa' …; use …"
  std::vector<std::string> warnings;       // one line each, for the log
};

}  // namespace walduct::config
