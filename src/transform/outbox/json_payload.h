// Text that holds JSON as a structure: a question for the schema, a function for the value.
// Immutable; thread-safe.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "event/record_template.h"
#include "transform/outbox/json_schema.h"
#include "transform/template/stage.h"

namespace walduct::transform {

// table.expand.json.payload: *payload, a leaf, becomes a structure whose schema has that name. What
// cannot stays as it is, with a warning: text that is not a JSON object, arrays of mixed types,
// values without a schema. kAsk: call again.
absl::StatusOr<Verdict> ExpandPayload(const std::string& name, const JsonRules& rules,
                                      event::Node* payload, Questions* questions);

// The leaf's text as a structure with one leaf per member. InvalidArgument: it is not a JSON object
// that can be one.
absl::StatusOr<Verdict> StructOfText(const std::string& name, const JsonRules& rules,
                                     event::Node* text, Questions* questions);

}  // namespace walduct::transform
