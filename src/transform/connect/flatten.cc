// Kafka Connect's Flatten: makes nested structs one level.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "transform/connect/field_stage.h"
#include "transform/stages/stages.h"
#include "transform/template/template_edit.h"
#include "transform/template/value_functions.h"

namespace walduct::transform {
namespace {

using config::TransformSpec;
using event::ConnectSchema;
using event::ConnectType;
using event::Node;
using event::RecordTemplate;

class Flatten final : public FieldStage {
 public:
  explicit Flatten(const TransformSpec& spec)
      : FieldStage(spec), delimiter_(spec.options.Text("delimiter")) {}

  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions* questions) const override {
    std::optional<Node>& operating = target(record);
    if (const auto verdict = UnlessPresent(operating, questions)) return *verdict;
    ASSIGN_OR_RETURN(Node * node, RequireStruct(&operating, "flattening"));
    if (node->schema == nullptr) return Verdict::kKeep;
    std::vector<Node> flat;
    for (const Node& member : node->members)
      RETURN_IF_ERROR(AddMember(member, "", node->schema->optional, &flat));
    node->members = std::move(flat);
    ConnectSchema basics = CopyBasics(*node->schema);
    RETURN_IF_ERROR(SetStructSchema(std::move(basics), node));
    return Verdict::kKeep;
  }

 private:
  absl::Status AddMember(const Node& member, const std::string& prefix, bool optional,
                         std::vector<Node>* flat) const {
    const std::string name =
        prefix.empty() ? member.name : absl::StrCat(prefix, delimiter_, member.name);
    const bool now_optional = optional || member.schema->optional;
    if (member.schema->type == ConnectType::kMap)
      return RecordError(
          absl::StrCat("Flatten transformation does not support MAP for record "
                       "with schemas (for field ",
                       name, ")"));
    if (member.schema->type == ConnectType::kStruct) {
      for (const event::ConnectField& field : member.schema->fields) {
        RETURN_IF_ERROR(AddMember(Inner(member, field), name, now_optional, flat));
      }
      return absl::OkStatus();
    }
    ConnectSchema schema = CopyBasics(*member.schema);
    schema.optional = now_optional;
    schema.default_value = member.schema->default_value;
    Node leaf = Taken(member, true);
    leaf.name = name;
    leaf.schema = event::Shared(std::move(schema));
    flat->push_back(std::move(leaf));
    return absl::OkStatus();
  }

  static Node Inner(const Node& parent, const event::ConnectField& field) {
    if (parent.is_struct()) return *parent.Find(field.name);
    if (parent.kind == Node::Kind::kNull) return event::NullNode(field.schema, field.name);
    return MemberOfLeaf(parent, field.name, field.schema);
  }

  const std::string delimiter_;
};

}  // namespace

StagePtr MakeFlatten(const TransformSpec& spec) { return std::make_unique<Flatten>(spec); }

}  // namespace walduct::transform
