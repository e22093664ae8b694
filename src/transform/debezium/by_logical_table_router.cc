// Debezium's ByLogicalTableRouter: sends several tables to one topic.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "java/regex/regex_rename.h"
#include "transform/options/option_checks.h"
#include "transform/options/transform_class.h"
#include "transform/template/template_edit.h"

namespace walduct::transform {
namespace {

using event::ConnectSchema;
using event::ConnectType;
using event::Node;
using event::RecordTemplate;
using event::Scalar;
using java::RegexRename;
using enum OptionType;

constexpr OptionRow kOptions[] = {
    {.name = "topic.regex",
     .type = kRegex,
     .required = true,
     .doc = "Java regular expression for the whole topic name.",
     .check = CheckPattern},
    {.name = "topic.replacement",
     .required = true,
     .doc = "New name; `$1` and `${name}` refer to groups.",
     .check = CheckNotEmpty},
    {.name = "key.enforce.uniqueness",
     .type = kBoolean,
     .default_value = "true",
     .doc = "Add a field to keys that identifies the table."},
    {.name = "key.field.name",
     .default_value = "__dbz__physicalTableIdentifier",
     .doc = "Name of that field."},
    {.name = "key.field.regex",
     .type = kRegex,
     .doc =
         "Java regular expression for the old topic name; without a match all of it is the value.",
     .check = CheckPattern},
    {.name = "key.field.replacement", .doc = "Value of that field."},
    {.name = "schema.name.adjustment.mode",
     .type = kEnum,
     .default_value = "none",
     .allowed = "none, avro, avro_unicode",
     .doc = "How schema names are made valid."},
    {.name = "logical.table.cache.size",
     .type = kInteger,
     .default_value = "16",
     .doc = "No effect: schemas are built once per table."},
};

struct Options {
  RegexRename topic;
  bool unique_keys = true;
  std::string key_field;
  std::optional<RegexRename> key_value;  // absent: the old topic
  bool adjust_names = false;
};

Options Read(const Setting& setting) {
  const OptionValues& given = setting.options;
  Options options{
      .topic = CheckedRename(given.Text("topic.regex"), given.Text("topic.replacement")),
      .unique_keys = given.Boolean("key.enforce.uniqueness"),
      .key_field = given.Text("key.field.name"),
      .key_value = {},
      .adjust_names = given.Text("schema.name.adjustment.mode") != "none"};
  if (given.Has("key.field.regex"))
    options.key_value =
        CheckedRename(given.Text("key.field.regex"), given.Text("key.field.replacement"));
  return options;
}

OptionProblem Check(const OptionValues& options) {
  if (options.Has("key.field.regex") && !options.Has("key.field.replacement"))
    return {"key.field.replacement", "A value is required where key.field.regex is set", "add it"};
  for (const absl::string_view part : {"topic", "key.field"}) {
    const std::string regex = absl::StrCat(part, ".regex");
    if (!options.Has(regex)) continue;
    std::string name = absl::StrCat(part, ".replacement");
    const std::string problem = CheckReplacement(options.Text(regex), options.Text(name));
    if (!problem.empty())
      return {std::move(name), absl::StrCat("does not fit ", regex, ": ", problem),
              "use a group of the regex"};
  }
  return {};
}

class ByLogicalTableRouter final : public Stage {
 public:
  explicit ByLogicalTableRouter(Options options) : options_(std::move(options)) {}

  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions* questions) const override {
    const std::optional<std::string> topic = options_.topic.Replace(record->topic);
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
    if (!options_.adjust_names) return name;
    for (size_t i = 0; i < name.size(); ++i) {
      const auto c = static_cast<unsigned char>(name[i]);
      const bool fine =
          absl::ascii_isalpha(c) || c == '_' || (i > 0 && (absl::ascii_isdigit(c) || c == '.'));
      if (!fine) name[i] = '_';
    }
    return name;
  }

  absl::Status ChangeKey(const std::string& old_topic, const std::string& topic, Node* key) const {
    if (!key->is_struct()) return RecordError("the key is not a struct");
    if (key->schema == nullptr) return RecordError("the key is a map, without a schema");
    // NULL stays, and is for the converter.
    if (options_.unique_keys) {
      std::string value = old_topic;
      if (options_.key_value) value = options_.key_value->Replace(old_topic).value_or(old_topic);
      key->members.push_back(event::ConstantNode(PlainSchema(ConnectType::kString, false),
                                                 Scalar::Text(value), options_.key_field));
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
      if (member == nullptr) continue;
      RETURN_IF_ERROR(CheckPut(*member));
      if (member->kind != Node::Kind::kNull && member->schema != field.schema &&
          !FitsField(*member->schema, *field.schema))
        return RecordError(absl::StrCat("Struct schemas do not match: ", field.name));
    }
    row->members = std::move(members);
    return absl::OkStatus();
  }

  absl::Status ChangeValue(const std::string& topic, Node* value) const {
    // An envelope by its name that another transform has taken apart.
    const Node* before = value->Find("before");
    if (before == nullptr || before->schema->type != ConnectType::kStruct)
      return RecordError("the envelope has no field before, or it is not a struct");
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

  const Options options_;
};

}  // namespace

extern constinit const TransformClass kByLogicalTableRouter = {
    .name = "io.debezium.transforms.ByLogicalTableRouter",
    .options = kOptions,
    .doc = "Routes several tables to one topic.",
    .check = Check,
    .make = MakeStage<ByLogicalTableRouter, Read>};

}  // namespace walduct::transform
