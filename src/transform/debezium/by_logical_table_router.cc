// Debezium's ByLogicalTableRouter: sends several tables to one topic.
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "java/regex/regex_rename.h"
#include "transform/stages/stages.h"
#include "transform/template/template_edit.h"

namespace walduct::transform {
namespace {

using config::TransformSpec;
using event::ConnectSchema;
using event::ConnectType;
using event::Node;
using event::RecordTemplate;
using event::Scalar;
using java::RegexRename;

RegexRename Compile(absl::string_view regex, absl::string_view replacement) {
  absl::StatusOr<RegexRename> compiled = RegexRename::Compile(regex, replacement);
  CHECK(compiled.ok());  // checked before
  return *std::move(compiled);
}

class ByLogicalTableRouter final : public Stage {
 public:
  explicit ByLogicalTableRouter(const TransformSpec& spec)
      : topic_(Compile(spec.options.Text("topic.regex"), spec.options.Text("topic.replacement"))),
        unique_keys_(spec.options.Boolean("key.enforce.uniqueness")),
        key_field_(spec.options.Text("key.field.name")),
        adjust_names_(spec.options.Text("schema.name.adjustment.mode") != "none") {
    if (spec.options.Has("key.field.regex"))
      key_value_ =
          Compile(spec.options.Text("key.field.regex"), spec.options.Text("key.field.replacement"));
  }

  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions* questions) const override {
    const std::optional<std::string> topic = topic_.Replace(record->topic);
    if (!topic || topic->empty()) return Verdict::kKeep;
    switch (PresenceOf(record->key, questions)) {
      case Presence::kUnknown:
        return Verdict::kAsk;
      case Presence::kNull:
        break;
      case Presence::kPresent:
        RETURN_IF_ERROR(ChangeKey(record->topic, *topic, &*record->key));
        break;
    }
    if (IsEnvelope(record->value)) RETURN_IF_ERROR(ChangeValue(*topic, &*record->value));
    record->topic = *topic;
    return Verdict::kKeep;
  }

 private:
  std::string SchemaName(absl::string_view topic, absl::string_view part) const {
    std::string name = absl::StrCat(topic, part);
    if (!adjust_names_) return name;
    for (size_t i = 0; i < name.size(); ++i) {
      const auto c = static_cast<unsigned char>(name[i]);
      const bool fine =
          absl::ascii_isalpha(c) || c == '_' || (i > 0 && (absl::ascii_isdigit(c) || c == '.'));
      if (!fine) name[i] = '_';
    }
    return name;
  }

  absl::Status ChangeKey(const std::string& old_topic, const std::string& topic, Node* key) const {
    if (!key->is_struct()) return RecordError("the key is no struct");
    if (key->schema == nullptr) return RecordError("the key is a map, without a schema");
    for (Node& member : key->members) member = Taken(member, true);
    if (unique_keys_) {
      std::string value = old_topic;
      if (key_value_) value = key_value_->Replace(old_topic).value_or(old_topic);
      key->members.push_back(event::ConstantNode(PlainSchema(ConnectType::kString, false),
                                                 Scalar::Text(value), key_field_));
    }
    ConnectSchema basics = CopyBasics(*key->schema);
    basics.name = SchemaName(topic, ".Key");
    return SetStructSchema(std::move(basics), key);
  }

  static absl::Status PutUnder(const event::ConnectSchemaPtr& schema, Node* row) {
    row->schema = schema;
    if (!row->is_struct()) return absl::OkStatus();
    for (const Node& member : row->members) {
      if (schema->Find(member.name) == nullptr)
        return RecordError(absl::StrCat(member.name, " is not a valid field name"));
    }
    std::vector<Node> members;
    for (const event::ConnectField& field : schema->fields) {
      const Node* member = row->Find(field.name);
      members.push_back(member != nullptr ? *member : event::NullNode(field.schema, field.name));
    }
    row->members = std::move(members);
    return absl::OkStatus();
  }

  absl::Status ChangeValue(const std::string& topic, Node* value) const {
    // An envelope by its name that another transform has taken apart.
    const Node* before = value->Find("before");
    if (before == nullptr || before->schema->type != ConnectType::kStruct)
      return RecordError("the envelope has no field before, or it is no struct");
    // Both rows get the schema that the old one has.
    ConnectSchema row = *before->schema;
    row.name = SchemaName(topic, ".Value");
    const event::ConnectSchemaPtr schema = event::Shared(std::move(row));
    for (Node& member : value->members) {
      if (member.name == "before" || member.name == "after") {
        RETURN_IF_ERROR(PutUnder(schema, &member));
      } else {
        member = Taken(member, true);
      }
    }
    ConnectSchema basics = CopyBasics(*value->schema);
    basics.name = SchemaName(topic, ".Envelope");
    return SetStructSchema(std::move(basics), value);
  }

  const RegexRename topic_;
  const bool unique_keys_;
  const std::string key_field_;
  const bool adjust_names_;
  std::optional<RegexRename> key_value_;
};

}  // namespace

StagePtr MakeByLogicalTableRouter(const TransformSpec& spec) {
  return std::make_unique<ByLogicalTableRouter>(spec);
}

}  // namespace walduct::transform
