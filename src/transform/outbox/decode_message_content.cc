// Debezium's DecodeLogicalDecodingMessageContent: JSON in logical messages as rows that were
// inserted.
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "transform/options/transform_class.h"
#include "transform/outbox/json_payload.h"
#include "transform/template/template_edit.h"
#include "transform/template/value_functions.h"

namespace walduct::transform {
namespace {

using event::ConnectSchema;
using event::ConnectType;
using event::Node;
using event::RecordTemplate;
using event::Scalar;
using enum OptionType;

constexpr absl::string_view kMessageSchema = "io.debezium.connector.postgresql.MessageValue";

// The bytes as text.
Node TextOf(const Node& content) {
  static const event::ValueFunctionPtr* const function =
      new event::ValueFunctionPtr(MakeFunction([](auto in, std::string*, Scalar* out) {
        *out = in[0].is_null() ? Scalar::Null() : Scalar::Text(in[0].text);
        return absl::OkStatus();
      }));
  return event::FunctionNode(PlainSchema(ConnectType::kString, true), *function, {content},
                             "after");
}

constexpr OptionRow kOptions[] = {{.name = "fields.null.include",
                                   .type = kBoolean,
                                   .default_value = "false",
                                   .doc = "Keep members that are null, as bytes."}};

JsonRules Read(const Setting& setting) {
  return {.keep_nulls = setting.options.Boolean("fields.null.include")};
}

class DecodeLogicalDecodingMessageContent final : public Stage {
 public:
  explicit DecodeLogicalDecodingMessageContent(const JsonRules& rules) : rules_(rules) {}

  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions* questions) const override {
    const bool message = record->value && record->value->is_struct() &&
                         record->value->schema != nullptr &&
                         record->value->schema->name == kMessageSchema;
    if (!message) return Verdict::kKeep;
    const Node* body = record->value->Find("message");
    const Node* content = body != nullptr && body->is_struct() ? body->Find("content") : nullptr;
    if (content == nullptr || content->kind != Node::Kind::kLeaf)
      return RecordError("the message has no content");
    if (content->schema->type != ConnectType::kBytes)
      return RecordError(
          "the content of messages is no longer bytes; set binary.handling.mode=bytes");
    Node row = TextOf(*content);
    ASSIGN_OR_RETURN(const Verdict verdict, StructOfText("", rules_, &row, questions));
    if (verdict != Verdict::kKeep) return verdict;
    record->key.reset();
    return SetRow(std::move(row), record);
  }

 private:
  // All but the message stays; the operation is that of an INSERT.
  static absl::StatusOr<Verdict> SetRow(Node row, RecordTemplate* record) {
    Node value = event::StructNode(nullptr, {});
    for (Node& member : record->value->members) {
      if (member.name == "message") continue;
      if (member.name == "op") {
        member = event::ConstantNode(member.schema, Scalar::Text("c"), member.name);
      }
      value.members.push_back(std::move(member));
    }
    value.members.push_back(std::move(row));
    ConnectSchema schema = event::Schema(ConnectType::kStruct);
    schema.name = absl::StrCat(kMessageSchema, ".Envelope");
    RETURN_IF_ERROR(SetStructSchema(std::move(schema), &value));
    record->value = std::move(value);
    return Verdict::kKeep;
  }

  const JsonRules rules_;
};

}  // namespace

extern constinit const TransformClass kDecodeLogicalDecodingMessageContent = {
    .name = "io.debezium.connector.postgresql.transforms.DecodeLogicalDecodingMessageContent",
    .options = kOptions,
    .doc =
        "Turns JSON in logical messages into inserted rows, for the EventRouter that follows; see "
        "docs/outbox.md.",
    .reads_messages = true,
    .make = MakeStage<DecodeLogicalDecodingMessageContent, Read>};

}  // namespace walduct::transform
