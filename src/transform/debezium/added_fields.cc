#include "transform/debezium/added_fields.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "transform/template/template_edit.h"

namespace walduct::transform {
namespace {

using event::ConnectSchema;
using event::Node;

// Where a field without a parent is looked for first.
absl::string_view DefaultParent(absl::string_view field) {
  if (field == "op" || field == "ts_ms" || field == "ts_us" || field == "ts_ns") return "";
  if (field == "id" || field == "total_order" || field == "data_collection_order")
    return "transaction";
  return "source";
}

// The member of parent, null where parent is null; nullopt where its schema has none.
std::optional<Node> MemberOf(const Node& parent, const std::string& field) {
  if (parent.is_struct()) {
    const Node* member = parent.Find(field);
    if (member == nullptr) return std::nullopt;
    return *member;
  }
  const event::ConnectField* one = parent.schema->Find(field);
  if (one == nullptr) return std::nullopt;
  return event::NullNode(one->schema, field);
}

absl::StatusOr<std::optional<Node>> Resolve(const Node& envelope, const AddedField& added) {
  const std::string parent_name =
      added.parent.empty() ? std::string(DefaultParent(added.field)) : added.parent;
  if (parent_name.empty()) return MemberOf(envelope, added.field);
  const Node* parent = envelope.Find(parent_name);
  if (parent == nullptr)
    return RecordError(
        absl::StrCat("add.fields and add.headers: a change has no '", parent_name, "'"));
  if (std::optional<Node> member = MemberOf(*parent, added.field)) return member;
  return MemberOf(envelope, added.field);
}

Node AsOptional(Node node, const std::string& name) {
  ConnectSchema schema = *node.schema;
  schema.optional = true;
  schema.default_value.reset();
  node.schema = event::Shared(std::move(schema));
  node.name = name;
  return node;
}

}  // namespace

std::vector<AddedField> ParseAdded(const std::vector<std::string>& items,
                                   const std::string& prefix) {
  std::vector<AddedField> fields;
  for (const std::string& item : items) {
    const std::pair<std::string, std::string> parts = {
        item.substr(0, item.find(':')),
        item.find(':') == std::string::npos ? "" : item.substr(item.find(':') + 1)};
    AddedField added;
    const size_t dot = parts.first.find('.');
    if (dot != std::string::npos) added.parent = parts.first.substr(0, dot);
    added.field = dot == std::string::npos ? parts.first : parts.first.substr(dot + 1);
    added.name =
        absl::StrCat(prefix, parts.second.empty() ? absl::StrReplaceAll(parts.first, {{".", "_"}})
                                                  : parts.second);
    fields.push_back(std::move(added));
  }
  return fields;
}

absl::StatusOr<std::optional<Node>> FindAdded(const Node& envelope, const AddedField& added) {
  ASSIGN_OR_RETURN(std::optional<Node> node, Resolve(envelope, added));
  if (node) node = AsOptional(*std::move(node), added.name);
  return node;
}

}  // namespace walduct::transform
