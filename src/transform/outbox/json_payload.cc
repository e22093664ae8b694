#include "transform/outbox/json_payload.h"

#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "transform/shape/shape_edit.h"
#include "transform/shape/value_functions.h"

namespace walduct::transform {
namespace {

using event::ConnectSchema;
using event::ConnectSchemaPtr;
using event::ConnectType;
using event::Node;
using event::Scalar;

// Answers that are no schema; see json_schema.h for the others.
constexpr absl::string_view kNull = "";
constexpr absl::string_view kNoSchema = "[";
constexpr char kWrong = '!';  // and what is wrong

// The tree of an object and its schema.
struct Expanded {
  JsonTree tree;
  ConnectSchemaPtr schema;
};

absl::StatusOr<Expanded> Expand(absl::string_view text, const std::string& name,
                                const JsonRules& rules) {
  if (!absl::StartsWith(text, "{") && !absl::StartsWith(text, "["))
    return RecordError("does not begin with '{' or '['");
  Expanded expanded;
  ASSIGN_OR_RETURN(expanded.tree, ParseJsonTree(text));
  ASSIGN_OR_RETURN(expanded.schema, InferJsonSchema(name, expanded.tree, rules));
  return expanded;
}

// The answer for one text.
void AppendAnswer(absl::string_view text, const std::string& name, const JsonRules& rules,
                  std::string* out) {
  absl::StatusOr<Expanded> expanded = Expand(text, name, rules);
  if (expanded.ok() && expanded->schema == nullptr) {
    out->append(kNoSchema.data(), kNoSchema.size());
    return;
  }
  absl::Status status = expanded.status();
  if (status.ok() && expanded->tree.kind != JsonTree::Kind::kObject)
    status = RecordError("has an array at its top");
  std::string value;
  if (status.ok()) status = AppendJsonAs(expanded->tree, *expanded->schema, &value);
  if (status.ok()) {
    AppendSchemaText(*expanded->schema, out);
  } else {
    absl::StrAppend(out, absl::string_view(&kWrong, 1), status.message());
  }
}

Node SchemaQuestion(const Node& text, const std::string& name, const JsonRules& rules) {
  const auto function = MakeFunction([name, rules](auto in, std::string* buffer, Scalar* out) {
    if (!in[0].is_null()) AppendAnswer(in[0].text, name, rules, buffer);
    *out = Scalar::Text(*buffer);
    return absl::OkStatus();
  });
  return event::FunctionNode(PlainSchema(ConnectType::kString, false), function, {text});
}

// Keeps the text, under no schema.
Node Schemaless(const Node& text) {
  const auto same = MakeFunction([](auto in, std::string*, Scalar* out) {
    *out = in[0];
    return absl::OkStatus();
  });
  return event::FunctionNode(nullptr, same, {text}, text.name);
}

absl::Status ScalarOf(const JsonTree& tree, const ConnectSchema& schema, std::string* buffer,
                      Scalar* out) {
  if (tree.kind == JsonTree::Kind::kNull) {
    *out = Scalar::Null();
    return absl::OkStatus();
  }
  std::string json;
  RETURN_IF_ERROR(AppendJsonAs(tree, schema, &json));
  return ScalarFromJson(json, schema, buffer, out) ? absl::OkStatus()
                                                   : RecordError("JSON does not fit its schema");
}

// The member of the object that the text holds; all of it when member is empty.
Node ValueOf(const Node& text, const std::string& member, ConnectSchemaPtr schema) {
  const auto function = MakeFunction([member, schema](auto in, std::string* buffer, Scalar* out) {
    *out = Scalar::Null();
    if (in[0].is_null()) return absl::OkStatus();
    ASSIGN_OR_RETURN(const JsonTree tree, ParseJsonTree(in[0].text));
    if (member.empty()) {
      RETURN_IF_ERROR(AppendJsonAs(tree, *schema, buffer));
      *out = Scalar::Json(*buffer);
      return absl::OkStatus();
    }
    const JsonTree* value = tree.Find(member);
    return value == nullptr ? absl::OkStatus() : ScalarOf(*value, *schema, buffer, out);
  });
  return event::FunctionNode(std::move(schema), function, {text}, member);
}

}  // namespace

absl::StatusOr<Verdict> ExpandPayload(const std::string& name, const JsonRules& rules,
                                      Node* payload, Questions* questions) {
  if (payload->kind != Node::Kind::kLeaf) return Verdict::kKeep;
  if (payload->schema == nullptr || payload->schema->type != ConnectType::kString) {
    questions->Warn(
        "table.expand.json.payload is set, but the payload is no text; it stays as it is");
    return Verdict::kKeep;
  }
  const event::Answer* answer = questions->Ask(SchemaQuestion(*payload, name, rules));
  if (answer == nullptr) return Verdict::kAsk;
  const absl::string_view text = answer->text;
  if (text == kNull) return Verdict::kKeep;
  if (text[0] == kWrong) {
    questions->Warn(absl::StrCat("a payload ", text.substr(1), "; it stays text"));
    return Verdict::kKeep;
  }
  Node expanded =
      text == kNoSchema ? Schemaless(*payload) : ValueOf(*payload, "", SchemaFromText(text));
  expanded.name = payload->name;
  *payload = std::move(expanded);
  return Verdict::kKeep;
}

absl::StatusOr<Verdict> StructOfText(const std::string& name, const JsonRules& rules, Node* text,
                                     Questions* questions) {
  const event::Answer* answer = questions->Ask(SchemaQuestion(*text, name, rules));
  if (answer == nullptr) return Verdict::kAsk;
  const absl::string_view schema_text = answer->text;
  if (schema_text == kNull) return RecordError("the text is null");
  if (schema_text == kNoSchema) return RecordError("the text is no JSON object");
  if (schema_text[0] == kWrong)
    return RecordError(absl::StrCat("the text ", schema_text.substr(1)));
  const ConnectSchemaPtr schema = SchemaFromText(schema_text);
  std::vector<Node> members;
  for (const event::ConnectField& field : schema->fields)
    members.push_back(ValueOf(*text, field.name, field.schema));
  *text = event::StructNode(schema, std::move(members), text->name);
  return Verdict::kKeep;
}

}  // namespace walduct::transform
