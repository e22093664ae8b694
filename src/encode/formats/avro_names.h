// Names of Avro schemas, by Confluent's rules. Pure.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace walduct::encode {

struct AvroName {
  std::string name_space;  // empty: none
  std::string name;

  std::string full() const { return name_space.empty() ? name : name_space + "." + name; }
  // As it is written where `space` is the enclosing namespace.
  std::string Reference(absl::string_view space) const;
};

// The last dot of a schema's name ends its namespace.
AvroName SplitAvroName(absl::string_view schema_name);

// scrub.invalid.names: what java.net.URLEncoder makes of the name, with '_' for what Avro still
// does not allow, and an x before what may not be first.
std::string ScrubAvroName(absl::string_view name);
// The same of each part between dots.
std::string ScrubAvroFullName(absl::string_view name);

}  // namespace walduct::encode
