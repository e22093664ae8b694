#include "transform/template/template_edit.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "transform/template/value_functions.h"

namespace walduct::transform {

using event::ConnectSchema;
using event::ConnectSchemaPtr;
using event::ConnectType;
using event::Node;

namespace {

bool IsNull(const Node& node) {
  if (node.kind != Node::Kind::kLeaf) return node.kind == Node::Kind::kNull;
  return node.leaf.kind == event::Leaf::Kind::kConstant && node.leaf.constant.is_null();
}

bool IsNullInRequired(const Node& node) {
  return IsNull(node) && node.schema != nullptr && !node.schema->optional;
}

// As Struct.validate looks into a struct that is put into another one: there a default is enough.
absl::Status CheckInside(const Node& node) {
  for (const Node& member : node.members) {
    if (IsNull(member) && member.schema != nullptr && member.schema->default_value) continue;
    RETURN_IF_ERROR(CheckPut(member));
  }
  return absl::OkStatus();
}

}  // namespace

std::optional<Node>& Target(TransformTarget target, event::RecordTemplate* record) {
  return target == TransformTarget::kKey ? record->key : record->value;
}

ConnectSchema CopyBasics(const ConnectSchema& schema) {
  ConnectSchema copy = schema;
  copy.optional = false;
  copy.default_value.reset();
  copy.fields.clear();
  return copy;
}

absl::Status SetStructSchema(ConnectSchema basics, Node* node) {
  RETURN_IF_ERROR(CheckPuts(*node));
  return SetSchemaOfMembers(std::move(basics), node);
}

absl::Status SetSchemaOfMembers(ConnectSchema basics, Node* node) {
  basics.type = ConnectType::kStruct;
  basics.fields.clear();
  std::set<absl::string_view> names;
  for (const Node& member : node->members) {
    if (!names.insert(member.name).second)
      return RecordError(
          absl::StrCat("Cannot create field because of field name duplication ", member.name));
    if (member.schema == nullptr)
      return RecordError(absl::StrCat("fieldSchema for field ", member.name, " cannot be null."));
    basics.fields.push_back({member.name, member.schema});
  }
  node->schema = event::Shared(std::move(basics));
  return absl::OkStatus();
}

absl::Status RenewStructSchema(Node* node) {
  ConnectSchema basics = CopyBasics(*node->schema);
  basics.optional = node->schema->optional;
  return SetStructSchema(std::move(basics), node);
}

absl::Status CheckPut(const Node& member) {
  if (!IsNullInRequired(member)) return CheckInside(member);
  return RecordError(
      absl::StrCat("Invalid value: null used for required field: \"", member.name, "\""));
}

absl::Status CheckPuts(const Node& node) {
  for (const Node& member : node.members) RETURN_IF_ERROR(CheckPut(member));
  return absl::OkStatus();
}

absl::Status AddHeader(Node header, event::RecordTemplate* record) {
  if (IsNullInRequired(header))
    return RecordError(
        absl::StrCat("A null value requires an optional schema: header \"", header.name, "\""));
  record->headers.push_back(std::move(header));
  return absl::OkStatus();
}

Node Taken(const Node& node, bool replace_null) {
  Node copy = node;
  if (!replace_null) return copy;
  copy.leaf.null_is_default = true;
  if (!IsNull(copy) || copy.schema == nullptr || !copy.schema->default_value) return copy;
  std::string buffer;
  return event::ConstantNode(copy.schema, DefaultOf(*copy.schema, &buffer), copy.name);
}

void TakeMembers(bool replace_null, Node* node) {
  for (Node& member : node->members) member = Taken(member, replace_null);
}

Node Opened(const Node& node) {
  if (node.is_struct()) return node;
  Node opened = event::StructNode(node.schema, {}, node.name);
  for (const event::ConnectField& field : node.schema->fields) {
    opened.members.push_back(node.kind == Node::Kind::kNull
                                 ? event::NullNode(field.schema, field.name)
                                 : MemberOfLeaf(node, field.name, field.schema));
  }
  return opened;
}

void AddMissing(const std::string& name, Node* map) {
  if (map->Find(name) == nullptr) map->members.push_back(event::NullNode(nullptr, name));
}

ConnectSchemaPtr PlainSchema(ConnectType type, bool optional) {
  ConnectSchema schema = event::Schema(type);
  schema.optional = optional;
  return event::Shared(std::move(schema));
}

Presence PresenceOf(const std::optional<Node>& node, Questions* questions) {
  if (!node || node->kind == Node::Kind::kNull) return Presence::kNull;
  if (node->is_struct()) return Presence::kPresent;
  if (node->leaf.kind == event::Leaf::Kind::kConstant)
    return node->leaf.constant.is_null() ? Presence::kNull : Presence::kPresent;
  if (node->leaf.never_null) return Presence::kPresent;
  if (node->schema != nullptr && !node->schema->optional) return Presence::kPresent;
  const event::Answer* answer = questions->Ask(IsNullNode(*node));
  if (answer == nullptr) return Presence::kUnknown;
  return answer->text == "true" ? Presence::kNull : Presence::kPresent;
}

std::optional<Verdict> UnlessPresent(const std::optional<Node>& node, Questions* questions,
                                     Verdict if_null) {
  switch (PresenceOf(node, questions)) {
    case Presence::kUnknown:
      return Verdict::kAsk;
    case Presence::kNull:
      return if_null;
    case Presence::kPresent:
      break;
  }
  return std::nullopt;
}

SharedHeaders CopiedUnlessNull(TransformTarget target, const event::RecordTemplate& record) {
  const std::optional<Node>& node = target == TransformTarget::kKey ? record.key : record.value;
  const bool null = !node || node->kind == Node::Kind::kNull;
  return null ? SharedHeaders::kIfSame : SharedHeaders::kCopied;
}

absl::StatusOr<Node*> RequireStruct(std::optional<Node>* node, absl::string_view purpose) {
  const bool schemaless = !node->has_value() || (*node)->schema == nullptr;
  if (node->has_value() && (*node)->leaf.never_null && !schemaless &&
      (*node)->schema->type == ConnectType::kStruct)
    **node = Opened(**node);
  if (node->has_value() && (*node)->is_struct()) return &**node;
  const bool null = !node->has_value() || (*node)->kind == Node::Kind::kNull;
  return RecordError(
      absl::StrCat(schemaless ? "Only Map objects supported in absence of schema for ["
                              : "Only Struct objects supported for [",
                   purpose, "], found: ", null ? "null" : "a value that is not a struct"));
}

bool FitsField(const ConnectSchema& value, const ConnectSchema& field) {
  // The name of Connect's own schemas, whose values are of classes of their own.
  const auto logical = [](const ConnectSchema& schema) {
    const bool connects = absl::StartsWith(schema.name, "org.apache.kafka.connect.data.");
    return connects ? absl::string_view(schema.name) : "";
  };
  const auto part_fits = [](const ConnectSchemaPtr& part, const ConnectSchemaPtr& wanted) {
    if (part == nullptr || wanted == nullptr) return part == wanted;
    return part->optional <= wanted->optional && FitsField(*part, *wanted);
  };
  if (value.type != field.type || logical(value) != logical(field)) return false;
  if (value.type != ConnectType::kStruct)
    return part_fits(value.keys, field.keys) && part_fits(value.items, field.items);
  return value.name == field.name &&
         std::equal(value.fields.begin(), value.fields.end(), field.fields.begin(),
                    field.fields.end(), [&](const auto& a, const auto& b) {
                      return a.name == b.name && a.schema->optional == b.schema->optional &&
                             part_fits(a.schema, b.schema);
                    });
}

bool IsEnvelope(const std::optional<Node>& value) {
  return value && value->is_struct() && value->schema != nullptr &&
         absl::EndsWith(value->schema->name, ".Envelope");
}

absl::string_view ConstantText(const Node& parent, absl::string_view member) {
  const Node* node = parent.Find(member);
  if (node == nullptr || node->kind != Node::Kind::kLeaf ||
      node->leaf.kind != event::Leaf::Kind::kConstant)
    return "";
  return node->leaf.constant_text;
}

absl::Status RecordError(absl::string_view message) {
  return Error(absl::StatusCode::kInvalidArgument, "transform_failed", message);
}

}  // namespace walduct::transform
