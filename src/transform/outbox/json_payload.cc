#include "transform/outbox/json_payload.h"

#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "transform/template/template_edit.h"
#include "transform/template/value_functions.h"

namespace walduct::transform {
namespace {

using event::ConnectSchema;
using event::ConnectSchemaPtr;
using event::ConnectType;
using event::Node;
using event::Scalar;

// Answers that mean "no schema"; see json_schema.h for the others.
constexpr absl::string_view kNull = "";
constexpr absl::string_view kNoSchema = "[";
constexpr char kWrong = '!';  // and what is wrong

struct Request {
  std::string name;  // of the schema
  JsonRules rules;
  bool fields = false;  // they are read one by one

  bool operator==(const Request&) const = default;
};

// What a text of JSON becomes.
struct Expansion {
  std::string text;
  Request request;
  std::string answer;  // to the question for the schema
  ConnectSchemaPtr schema;
  std::string value;  // what is in it
  // Only for fields:
  JsonTree tree;
  std::vector<size_t> places;  // of the schema's fields among the tree's members
};

void KeepFields(JsonTree tree, Expansion* out) {
  out->tree = std::move(tree);
  MemberIndex index(out->tree);
  for (const event::ConnectField& field : out->schema->fields)
    out->places.push_back(index.Find(field.name));
}

absl::Status Parse(Expansion* out) {
  if (!absl::StartsWith(out->text, "{") && !absl::StartsWith(out->text, "["))
    return RecordError("does not begin with '{' or '['");
  ASSIGN_OR_RETURN(JsonTree tree, ParseJsonTree(out->text));
  ASSIGN_OR_RETURN(out->schema, InferJsonSchema(out->request.name, tree, out->request.rules));
  if (out->schema == nullptr) return absl::OkStatus();
  if (tree.kind != JsonTree::Kind::kObject) return RecordError("is an array at the top level");
  event::TreeBuilder value(&out->value);
  RETURN_IF_ERROR(AddJsonAs(tree, *out->schema, &value));
  if (out->request.fields) KeepFields(std::move(tree), out);
  return absl::OkStatus();
}

Expansion Expand(absl::string_view text, const Request& request) {
  Expansion made;
  made.text = std::string(text);
  made.request = request;
  const absl::Status status = Parse(&made);
  if (!status.ok()) {
    absl::StrAppend(&made.answer, absl::string_view(&kWrong, 1), status.message());
  } else if (made.schema == nullptr) {
    made.answer = std::string(kNoSchema);
  } else {
    AppendSchemaText(*made.schema, &made.answer);
  }
  return made;
}

// The question for the schema comes just before the values are written: the last text of a thread
// is parsed once for both.
const Expansion& ExpansionOf(absl::string_view text, const Request& request) {
  thread_local Expansion last = Expand("", request);
  if (last.text != text || !(last.request == request)) last = Expand(text, request);
  return last;
}

Node SchemaQuestion(const Node& text, const Request& request) {
  const auto function = MakeFunction([request](auto in, std::string* buffer, Scalar* out) {
    if (!in[0].is_null()) *buffer = ExpansionOf(in[0].text, request).answer;
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

// The whole object that the text holds, which has that schema.
Node WholeOf(const Node& text, ConnectSchemaPtr schema, const Request& request) {
  const auto function = MakeFunction([request](auto in, std::string* buffer, Scalar* out) {
    *buffer = ExpansionOf(in[0].text, request).value;
    *out = Scalar::Tree(Scalar::Kind::kStruct, *buffer);
    return absl::OkStatus();
  });
  Node whole = event::FunctionNode(std::move(schema), function, {text}, text.name);
  whole.leaf.never_null = true;
  return whole;
}

// The value of one field of the object that the text holds.
Node FieldOf(const Node& text, const ConnectSchema& schema, size_t place, const Request& request) {
  const event::ConnectField& field = schema.fields[place];
  const auto function = MakeFunction(
      [schema = field.schema, place, request](auto in, std::string* buffer, Scalar* out) {
        *out = Scalar::Null();
        const Expansion& expansion = ExpansionOf(in[0].text, request);
        const size_t member = expansion.places[place];
        if (member == MemberIndex::kNone) return absl::OkStatus();
        const JsonTree& value = expansion.tree.members[member].value;
        event::TreeBuilder built(buffer);
        RETURN_IF_ERROR(AddJsonAs(value, *schema, &built));
        *out = built.value();
        return absl::OkStatus();
      });
  Node node = event::FunctionNode(field.schema, function, {text}, field.name);
  node.leaf.never_null = field.schema->type == ConnectType::kStruct;  // a null has no such schema
  return node;
}

}  // namespace

absl::StatusOr<Verdict> ExpandPayload(const std::string& name, const JsonRules& rules,
                                      Node* payload, Questions* questions) {
  if (payload->kind != Node::Kind::kLeaf) return Verdict::kKeep;
  if (payload->schema == nullptr || payload->schema->type != ConnectType::kString) {
    questions->Warn(
        "table.expand.json.payload is set, but the payload is not text; it stays unchanged");
    return Verdict::kKeep;
  }
  const Request request{name, rules};
  const event::Answer* answer = questions->Ask(SchemaQuestion(*payload, request));
  if (answer == nullptr) return Verdict::kAsk;
  const absl::string_view text = answer->text;
  if (text == kNull) return Verdict::kKeep;
  if (text[0] == kWrong) {
    questions->Warn(absl::StrCat("a payload ", text.substr(1), "; it is published as text"));
    return Verdict::kKeep;
  }
  *payload =
      text == kNoSchema ? Schemaless(*payload) : WholeOf(*payload, SchemaFromText(text), request);
  return Verdict::kKeep;
}

absl::StatusOr<Verdict> StructOfText(const std::string& name, const JsonRules& rules, Node* text,
                                     Questions* questions) {
  const Request request{name, rules, true};
  const event::Answer* answer = questions->Ask(SchemaQuestion(*text, request));
  if (answer == nullptr) return Verdict::kAsk;
  const absl::string_view schema_text = answer->text;
  if (schema_text == kNull) return RecordError("the text is null");
  if (schema_text == kNoSchema) return RecordError("the text is not a JSON object");
  if (schema_text[0] == kWrong)
    return RecordError(absl::StrCat("the text ", schema_text.substr(1)));
  const ConnectSchemaPtr schema = SchemaFromText(schema_text);
  std::vector<Node> members;
  for (size_t place = 0; place < schema->fields.size(); ++place)
    members.push_back(FieldOf(*text, *schema, place, request));
  *text = event::StructNode(schema, std::move(members), text->name);
  return Verdict::kKeep;
}

}  // namespace walduct::transform
