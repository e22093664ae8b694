// Kafka Connect's ExtractField: replaces the struct by one of its fields.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "transform/connect/field_options.h"
#include "transform/options/transform_class.h"
#include "transform/template/template_edit.h"
#include "transform/template/value_functions.h"

namespace walduct::transform {
namespace {

using event::ConnectType;
using event::Node;
using event::RecordTemplate;
using enum OptionType;

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

constexpr OptionRow kOptions[] = {
    {.name = "field", .required = true, .doc = "Field that replaces the key or value."},
    {.name = "field.syntax.version",
     .type = kEnum,
     .default_value = "V1",
     .allowed = "V1, V2",
     .doc = "V2: dots in `field` lead into nested structs, backquotes protect them."},
    kReplaceNull};

struct Options {
  FieldOptions common;
  std::string field;
  std::vector<std::string> path;
};

Options Read(const Setting& setting) {
  const std::string& field = setting.options.Text("field");
  const bool nested = setting.options.Text("field.syntax.version") == "V2";
  return {.common = ReadFieldOptions(setting), .field = field, .path = ParsePath(field, nested)};
}

class ExtractField final : public Stage {
 public:
  explicit ExtractField(Options options) : options_(std::move(options)) {}

  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions* questions) const override {
    std::optional<Node>& operating = Target(options_.common.target, record);
    if (!operating) return Verdict::kKeep;
    if (operating->schema == nullptr) return ExtractFromMap(&operating);
    Node node = *operating;
    bool of_null = false;  // whose fields have no defaults
    for (const std::string& step : options_.path) {
      of_null = node.kind == Node::Kind::kNull;
      ASSIGN_OR_RETURN(node, Step(node, step));
    }
    node.name.clear();
    operating = of_null ? node : Taken(node, options_.common.replace_null);
    return OpenStruct(questions, &operating);
  }
  SharedHeaders shared_headers(const RecordTemplate&) const override {
    return SharedHeaders::kCopied;
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
    const Node* member = map ? (*operating)->Find(options_.path[0]) : nullptr;
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
    return RecordError(absl::StrCat("Unknown field: ", options_.field));
  }

  const Options options_;
};

}  // namespace

extern constinit const TransformClass kExtractField = {
    .name = "org.apache.kafka.connect.transforms.ExtractField",
    .has_targets = true,
    .options = kOptions,
    .doc = "Replaces the struct with one of its fields.",
    .make = MakeStage<ExtractField, Read>};

}  // namespace walduct::transform
