// Which entry of a store belongs to a connector. Keys are compared as parsed JSON: Connect's bytes
// are one way to write them.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace walduct::offset {

struct OffsetIdentity {
  std::string connector_name;
  std::string topic_prefix;
  int slot = 1;  // which of the connector's slots
};

// True when key is ["<connector>",{"server":"<prefix>"}] in any JSON spelling; of slots beyond the
// first with "walduct_slot":<number> beside the server.
bool KeyBelongsTo(absl::string_view key, const OffsetIdentity& identity);

}  // namespace walduct::offset
