// Kafka Connect schemas from JSON, as Debezium infers them from payloads: integers by their size,
// other numbers float64, members of objects in arrays united, null members and empty arrays left
// out unless the rules keep them. Pure; thread-safe.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "event/connect_schema.h"
#include "event/tree.h"
#include "names/name_adjustment.h"
#include "transform/outbox/json_tree.h"

namespace walduct::transform {

struct JsonRules {
  bool keep_nulls = false;         // as optional bytes
  bool keep_empty_arrays = false;  // as arrays of text
  names::NameAdjustment names = names::NameAdjustment::kNone;

  bool operator==(const JsonRules&) const = default;
};

// name: of the schema of the object at the top; those inside add ".member". Null: there is no value
// to have a schema. InvalidArgument: arrays of mixed types, or of nothing but nulls; a member
// without a name. Texts name no value.
absl::StatusOr<event::ConnectSchemaPtr> InferJsonSchema(absl::string_view name,
                                                        const JsonTree& tree,
                                                        const JsonRules& rules);

// The value of an object under a schema that was inferred from it; what the schema has no member
// for is left out. InvalidArgument: the value does not fit the schema, as where numbers of arrays'
// objects differ in size.
absl::Status AddJsonAs(const JsonTree& tree, const event::ConnectSchema& schema,
                       event::TreeBuilder* out);

// A schema of InferJsonSchema as text, and back.
void AppendSchemaText(const event::ConnectSchema& schema, std::string* out);
event::ConnectSchemaPtr SchemaFromText(absl::string_view text);

}  // namespace walduct::transform
