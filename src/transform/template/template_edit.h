// Small edits of templates that several stages share, with the semantics of Kafka Connect's
// SchemaUtil, Requirements and Struct. Pure.
#pragma once

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "event/record_template.h"
#include "transform/template/stage.h"

namespace walduct::transform {

// Key or value, whichever the transform works on.
std::optional<event::Node>& Target(TransformTarget target, event::RecordTemplate* record);

// Type, name, version, doc, parameters, items; neither fields nor optional nor default.
event::ConnectSchema CopyBasics(const event::ConnectSchema& schema);

// Gives node a schema like `basics` whose fields are those of its members, and fills it with
// Struct.put. InvalidArgument: two members of one name; what CheckPut finds.
absl::Status SetStructSchema(event::ConnectSchema basics, event::Node* node);
// The same of a struct that nothing is put into, or only what is not null.
absl::Status SetSchemaOfMembers(event::ConnectSchema basics, event::Node* node);
// The same with the basics that a struct's schema has, optional as before.
absl::Status RenewStructSchema(event::Node* node);

// As Struct.put checks a value and the structs inside it: null has to be allowed. HeaderToValue
// makes fields of structs required that can be null.
absl::Status CheckPut(const event::Node& member);
absl::Status CheckPuts(const event::Node& node);
// Appends the header, as Headers.add checks it: null has to be allowed.
absl::Status AddHeader(event::Node header, event::RecordTemplate* record);

// A copy as Struct.get (replace_null) or Struct.getWithoutDefault take it out of its struct.
event::Node Taken(const event::Node& node, bool replace_null);
// All members of the struct.
void TakeMembers(bool replace_null, event::Node* node);

// A struct that is one value to us, or null, as a struct with members; of a null they are all null.
event::Node Opened(const event::Node& node);

// A map gets a null of that name, unless it has the field.
void AddMissing(const std::string& name, event::Node* map);

// Schemas of fields that transforms add.
event::ConnectSchemaPtr PlainSchema(event::ConnectType type, bool optional);

enum class Presence { kNull, kPresent, kUnknown };
// Is the value null? Asks where it depends on the record; kUnknown: return Verdict::kAsk.
Presence PresenceOf(const std::optional<event::Node>& node, Questions* questions);
// What a stage that works on values answers where there is none, if_null, or where the record has
// to be asked first; absent where there is one.
std::optional<Verdict> UnlessPresent(const std::optional<event::Node>& node, Questions* questions,
                                     Verdict if_null = Verdict::kKeep);

// Of a transform of Connect's, which copies the headers unless its target is null.
SharedHeaders CopiedUnlessNull(TransformTarget target, const event::RecordTemplate& record);

// The node as a struct with a schema or a schemaless map; else the error of Connect's Requirements:
// "Only Struct objects supported for [purpose], found: …".
absl::StatusOr<event::Node*> RequireStruct(std::optional<event::Node>* node,
                                           absl::string_view purpose);

// Whether Struct.put takes a value of the one schema, not null, for a field of the other.
bool FitsField(const event::ConnectSchema& value, const event::ConnectSchema& field);

// A record's value that Debezium would take for a change of a row.
bool IsEnvelope(const std::optional<event::Node>& value);

// The member's constant text; empty when it is not a constant.
absl::string_view ConstantText(const event::Node& parent, absl::string_view member);

// What is wrong with the record, in the transform's words.
absl::Status RecordError(absl::string_view message);

}  // namespace walduct::transform
