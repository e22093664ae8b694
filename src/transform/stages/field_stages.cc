// Kafka Connect's transforms of fields: InsertField, ReplaceField, MaskField, ValueToKey,
// HoistField, ExtractField, Flatten, SetSchemaMetadata.
#include <algorithm>
#include <map>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "transform/stages/stages.h"
#include "transform/template/template_edit.h"
#include "transform/template/value_functions.h"

namespace walduct::transform {
namespace {

using config::TransformSpec;
using config::TransformTarget;
using event::ConnectSchema;
using event::ConnectSchemaPtr;
using event::ConnectType;
using event::Node;
using event::RecordTemplate;
using event::Scalar;

// What the transforms of fields have in common: what they work on, and how fields are copied.
class FieldStage : public Stage {
 protected:
  explicit FieldStage(const TransformSpec& spec)
      : target_(spec.target), replace_null_(spec.options.Boolean("replace.null.with.default")) {}

  std::optional<Node>& target(RecordTemplate* record) const { return Target(target_, record); }
  bool replace_null() const { return replace_null_; }

  void TakeMembers(Node* node) const {
    for (Node& member : node->members) member = Taken(member, replace_null_);
  }

 private:
  const TransformTarget target_;
  const bool replace_null_;
};

class InsertField final : public FieldStage {
 public:
  explicit InsertField(const TransformSpec& spec)
      : FieldStage(spec),
        topic_(Name(spec, "topic.field")),
        partition_(Name(spec, "partition.field")),
        timestamp_(Name(spec, "timestamp.field")),
        static_(Name(spec, "static.field")),
        static_value_(spec.options.Text("static.value")) {}

  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions* questions) const override {
    std::optional<Node>& operating = target(record);
    if (const auto verdict = UnlessPresent(operating, questions)) return *verdict;
    ASSIGN_OR_RETURN(Node * node, RequireStruct(&operating, "field insertion"));
    TakeMembers(node);
    Insert(*record, node);
    if (node->schema == nullptr) return Verdict::kKeep;
    RETURN_IF_ERROR(SetStructSchema(CopyBasics(*node->schema), node));
    return Verdict::kKeep;
  }

 private:
  struct Field {
    std::string name;  // empty: not wanted
    bool optional = true;
  };

  static Field Name(const TransformSpec& spec, absl::string_view option) {
    std::string name = spec.options.Text(option);
    if (absl::EndsWith(name, "!")) return {name.substr(0, name.size() - 1), false};
    if (absl::EndsWith(name, "?")) name.pop_back();
    return {name, true};
  }

  void Insert(const RecordTemplate& record, Node* node) const {
    const auto text = [&](const Field& field, absl::string_view value) {
      if (field.name.empty()) return;
      node->members.push_back(event::ConstantNode(PlainSchema(ConnectType::kString, field.optional),
                                                  Scalar::Text(value), field.name));
    };
    text(topic_, record.topic);
    // A map does not even get the null.
    if (node->schema != nullptr || record.partition)
      AddNumber(partition_, ConnectType::kInt32, "", record.partition, node);
    AddNumber(timestamp_, ConnectType::kInt64, "org.apache.kafka.connect.data.Timestamp",
              record.timestamp, node);
    text(static_, static_value_);
  }

  static void AddNumber(const Field& field, ConnectType type, absl::string_view semantic,
                        const std::optional<Node>& value, Node* node) {
    if (field.name.empty()) return;
    ConnectSchema schema = event::Schema(type, semantic);
    schema.optional = field.optional;
    Node member = value ? *value : event::NullNode(nullptr);
    member.schema = event::Shared(std::move(schema));
    member.name = field.name;
    node->members.push_back(std::move(member));
  }

  const Field topic_, partition_, timestamp_, static_;
  const std::string static_value_;
};

class ReplaceField final : public FieldStage {
 public:
  explicit ReplaceField(const TransformSpec& spec) : FieldStage(spec) {
    for (const std::string& name : spec.options.List("exclude")) exclude_.insert(name);
    for (const std::string& name : spec.options.List("include")) include_.insert(name);
    for (const std::string& pair : spec.options.List("renames")) {
      const std::vector<std::string> sides = absl::StrSplit(pair, ':');
      renames_[sides[0]] = sides[1];
    }
  }

  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions* questions) const override {
    std::optional<Node>& operating = target(record);
    if (const auto verdict = UnlessPresent(operating, questions)) return *verdict;
    ASSIGN_OR_RETURN(Node * node, RequireStruct(&operating, "field replacement"));
    std::vector<Node> kept;
    for (const Node& member : node->members) {
      const bool listed = include_.empty() || include_.count(member.name) > 0;
      if (!listed || exclude_.count(member.name) > 0) continue;
      kept.push_back(Taken(member, replace_null()));
      const auto renamed = renames_.find(member.name);
      if (renamed != renames_.end()) kept.back().name = renamed->second;
    }
    node->members = std::move(kept);
    if (node->schema == nullptr) return Verdict::kKeep;
    RETURN_IF_ERROR(SetStructSchema(CopyBasics(*node->schema), node));
    return Verdict::kKeep;
  }

 private:
  std::set<std::string, std::less<>> exclude_, include_;
  std::map<std::string, std::string, std::less<>> renames_;
};

class ValueToKey final : public FieldStage {
 public:
  explicit ValueToKey(const TransformSpec& spec)
      : FieldStage(spec), fields_(spec.options.List("fields")) {}

  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions*) const override {
    ASSIGN_OR_RETURN(Node * value,
                     RequireStruct(&record->value, "copying fields from value to key"));
    Node key = event::StructNode(nullptr, {});
    const Node missing = event::NullNode(nullptr);  // from a map
    for (const std::string& field : fields_) {
      const Node* member = value->Find(field);
      if (member == nullptr && value->schema == nullptr) member = &missing;
      if (member == nullptr) return RecordError(absl::StrCat("Field does not exist: ", field));
      key.members.push_back(Taken(*member, replace_null()));
      key.members.back().name = field;
    }
    if (value->schema != nullptr)
      RETURN_IF_ERROR(SetStructSchema(event::Schema(ConnectType::kStruct), &key));
    record->key = std::move(key);
    return Verdict::kKeep;
  }

 private:
  const std::vector<std::string> fields_;
};

class HoistField final : public FieldStage {
 public:
  explicit HoistField(const TransformSpec& spec)
      : FieldStage(spec), field_(spec.options.Text("field")) {}

  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions*) const override {
    std::optional<Node>& operating = target(record);
    // Without a schema the result is a map.
    Node member = operating ? std::move(*operating) : event::NullNode(nullptr);
    member.name = field_;
    const bool schemaless = member.schema == nullptr;
    Node hoisted = event::StructNode(nullptr, {});
    hoisted.members.push_back(std::move(member));
    if (!schemaless)
      RETURN_IF_ERROR(SetStructSchema(event::Schema(ConnectType::kStruct), &hoisted));
    operating = std::move(hoisted);
    return Verdict::kKeep;
  }

 private:
  const std::string field_;
};

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

class SetSchemaMetadata final : public FieldStage {
 public:
  explicit SetSchemaMetadata(const TransformSpec& spec) : FieldStage(spec) {
    if (spec.options.Has("schema.name")) name_ = spec.options.Text("schema.name");
    if (spec.options.Has("schema.version"))
      version_ = static_cast<int>(spec.options.Integer("schema.version"));
  }

  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions*) const override {
    std::optional<Node>& operating = target(record);
    if (!operating) return Verdict::kKeep;
    if (operating->schema == nullptr)
      return RecordError("Schema required for [updating schema metadata]");
    if (operating->schema->type != ConnectType::kStruct)
      return RecordError("Cannot list fields on non-struct type");
    ConnectSchema schema = *operating->schema;
    if (name_) schema.name = *name_;
    if (version_) schema.version = *version_;
    operating->schema = event::Shared(std::move(schema));
    if (operating->is_struct()) TakeMembers(&*operating);
    return Verdict::kKeep;
  }

 private:
  std::optional<std::string> name_;
  std::optional<int> version_;
};

}  // namespace

StagePtr MakeInsertField(const TransformSpec& spec) { return std::make_unique<InsertField>(spec); }
StagePtr MakeReplaceField(const TransformSpec& spec) {
  return std::make_unique<ReplaceField>(spec);
}
StagePtr MakeValueToKey(const TransformSpec& spec) { return std::make_unique<ValueToKey>(spec); }
StagePtr MakeHoistField(const TransformSpec& spec) { return std::make_unique<HoistField>(spec); }
StagePtr MakeExtractField(const TransformSpec& spec) {
  return std::make_unique<ExtractField>(spec);
}
StagePtr MakeFlatten(const TransformSpec& spec) { return std::make_unique<Flatten>(spec); }
StagePtr MakeSetSchemaMetadata(const TransformSpec& spec) {
  return std::make_unique<SetSchemaMetadata>(spec);
}

}  // namespace walduct::transform
