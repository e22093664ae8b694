// Whether a schema that a registry has may stand for a table's: the kinds of schemas behind one
// question. Pure.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "event/schema_ids.h"
#include "registry/options.h"

namespace walduct::registry {

struct StandIn {
  std::string schema;  // its text
  // null: values keep their bytes.
  std::shared_ptr<const event::ValueRewriter> rewriter;
  // What of the values it does not tell, "after.note".
  std::vector<std::string> left_out;
};

// Whether *known, of whose text that is all, may stand for `own`, of the options' type; fills the
// rest. InvalidArgument: it does not describe its values; where the two begin to differ.
absl::Status Fit(absl::string_view own, const RegistryOptions& options, StandIn* known);

}  // namespace walduct::registry
