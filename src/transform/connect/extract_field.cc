// Kafka Connect's ExtractField: replaces the struct by one of its fields.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "transform/connect/field_stage.h"
#include "transform/stages/stages.h"
#include "transform/template/template_edit.h"
#include "transform/template/value_functions.h"

namespace walduct::transform {
namespace {

using config::TransformSpec;
using event::ConnectType;
using event::Node;
using event::RecordTemplate;

// field.syntax.version=V2: dots between the steps, backquotes around a name with dots.
std::vector<std::string> ParsePath(absl::string_view path, bool nested) {
  if (!nested) return {std::string(path)};
  std::vector<std::string> steps(1);
  bool quoted = false;
  for (size_t i = 0; i < path.size(); ++i) {
    const bool at_edge = quoted
                             ? i + 1 == path.size() || path[i + 1] == '.'
                             : steps.back().empty() && absl::StrContains(path.substr(i + 1), "`");
    if (path[i] == '`' && at_edge) {
      quoted = !quoted;
    } else if (path[i] == '.' && !quoted) {
      steps.emplace_back();
    } else {
      steps.back().push_back(path[i]);
    }
  }
  return steps;
}

class ExtractField final : public FieldStage {
 public:
  explicit ExtractField(const TransformSpec& spec)
      : FieldStage(spec),
        field_(spec.options.Text("field")),
        path_(ParsePath(field_, spec.options.Text("field.syntax.version") == "V2")) {}

  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions* questions) const override {
    std::optional<Node>& operating = target(record);
    if (!operating) return Verdict::kKeep;
    if (operating->schema == nullptr) return ExtractFromMap(&operating);
    Node node = *operating;
    for (const std::string& step : path_) {
      ASSIGN_OR_RETURN(node, Step(node, step));
    }
    node.name.clear();
    operating = Taken(node, replace_null());
    return OpenStruct(questions, &operating);
  }

 private:
  // A struct that is one value to us, and is there, shows its fields to the transforms behind.
  static absl::StatusOr<Verdict> OpenStruct(Questions* questions, std::optional<Node>* operating) {
    if ((*operating)->schema->type != ConnectType::kStruct || (*operating)->is_struct())
      return Verdict::kKeep;
    switch (PresenceOf(*operating, questions)) {
      case Presence::kUnknown:
        return Verdict::kAsk;
      case Presence::kNull:
        *operating = event::NullNode((*operating)->schema);
        break;
      case Presence::kPresent:
        *operating = Opened(**operating);
        break;
    }
    return Verdict::kKeep;
  }

  absl::StatusOr<Verdict> ExtractFromMap(std::optional<Node>* operating) const {
    const bool map = (*operating)->is_struct();
    if (!map && (*operating)->kind != Node::Kind::kNull)
      return RecordError("Only Map objects supported in absence of schema for [field extraction]");
    const Node* member = map ? (*operating)->Find(path_[0]) : nullptr;
    if (member == nullptr || (member->kind == Node::Kind::kNull && member->schema == nullptr)) {
      operating->reset();
    } else {
      *operating = Node(*member);
      (*operating)->name.clear();
    }
    return Verdict::kKeep;
  }

  // Into a struct, a null struct, or a struct that is one value to us.
  absl::StatusOr<Node> Step(const Node& parent, const std::string& step) const {
    if (parent.is_struct()) {
      const Node* member = parent.Find(step);
      if (member != nullptr) return *member;
    } else if (parent.schema->type == ConnectType::kStruct) {
      for (const event::ConnectField& field : parent.schema->fields) {
        if (field.name != step) continue;
        if (parent.kind == Node::Kind::kNull) return event::NullNode(field.schema, step);
        return MemberOfLeaf(parent, step, field.schema);
      }
    }
    return RecordError(absl::StrCat("Unknown field: ", field_));
  }

  const std::string field_;
  const std::vector<std::string> path_;
};

}  // namespace

StagePtr MakeExtractField(const TransformSpec& spec) {
  return std::make_unique<ExtractField>(spec);
}

}  // namespace walduct::transform
