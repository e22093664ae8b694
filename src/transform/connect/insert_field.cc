// Kafka Connect's InsertField: adds fields about the record, or a constant.
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "base/status_macros.h"
#include "transform/connect/field_options.h"
#include "transform/options/transform_class.h"
#include "transform/template/template_edit.h"

namespace walduct::transform {
namespace {

using event::ConnectSchema;
using event::ConnectType;
using event::Node;
using event::RecordTemplate;
using event::Scalar;

constexpr OptionRow kOptions[] = {
    {.name = "topic.field",
     .doc = "Field for the topic; a final `!` makes it required, `?` optional."},
    {.name = "partition.field",
     .doc = "Field for the partition; null unless an earlier transform sets one."},
    {.name = "offset.field", .doc = "Field for the offset: sinks only."},
    {.name = "timestamp.field",
     .doc = "Field for the record's timestamp; null unless an earlier transform sets one."},
    {.name = "static.field", .doc = "Field for static.value."},
    {.name = "static.value", .doc = "Value of static.field."},
    kReplaceNull};

struct Field {
  std::string name;  // empty: not wanted
  bool optional = true;
};

Field ReadField(const OptionValues& options, absl::string_view option) {
  std::string name = options.Text(option);
  if (absl::EndsWith(name, "!")) return {name.substr(0, name.size() - 1), false};
  if (absl::EndsWith(name, "?")) name.pop_back();
  return {name, true};
}

struct Options {
  FieldOptions common;
  Field topic, partition, timestamp, constant;
  std::string constant_value;
};

Options Read(const Setting& setting) {
  return {.common = ReadFieldOptions(setting),
          .topic = ReadField(setting.options, "topic.field"),
          .partition = ReadField(setting.options, "partition.field"),
          .timestamp = ReadField(setting.options, "timestamp.field"),
          .constant = ReadField(setting.options, "static.field"),
          .constant_value = setting.options.Text("static.value")};
}

OptionProblem Check(const OptionValues& options) {
  bool any = false;
  for (const absl::string_view name :
       {"topic.field", "partition.field", "offset.field", "timestamp.field", "static.field"}) {
    any = any || options.Has(name);
  }
  if (!any)
    return {"type", "has no field to insert", "set topic.field, timestamp.field or static.field"};
  if (options.Has("static.field") && !options.Has("static.value"))
    return {"static.value", "A value is required when static.field is set", "add it"};
  if (options.Has("offset.field"))
    return {"offset.field", "is available to sink connectors only", "remove it"};
  return {};
}

class InsertField final : public Stage {
 public:
  explicit InsertField(Options options) : options_(std::move(options)) {}

  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions* questions) const override {
    std::optional<Node>& operating = Target(options_.common.target, record);
    if (const auto verdict = UnlessPresent(operating, questions)) return *verdict;
    ASSIGN_OR_RETURN(Node * node, RequireStruct(&operating, "field insertion"));
    TakeMembers(options_.common.replace_null, node);
    Insert(*record, node);
    if (node->schema == nullptr) return Verdict::kKeep;
    RETURN_IF_ERROR(SetStructSchema(CopyBasics(*node->schema), node));
    return Verdict::kKeep;
  }
  SharedHeaders shared_headers(const RecordTemplate& record) const override {
    return CopiedUnlessNull(options_.common.target, record);
  }

 private:
  void Insert(const RecordTemplate& record, Node* node) const {
    const auto text = [&](const Field& field, absl::string_view value) {
      if (field.name.empty()) return;
      node->members.push_back(event::ConstantNode(PlainSchema(ConnectType::kString, field.optional),
                                                  Scalar::Text(value), field.name));
    };
    text(options_.topic, record.topic);
    // A map does not even get the null.
    if (node->schema != nullptr || record.partition)
      AddNumber(options_.partition, ConnectType::kInt32, "", record.partition, node);
    AddNumber(options_.timestamp, ConnectType::kInt64, "org.apache.kafka.connect.data.Timestamp",
              record.timestamp, node);
    text(options_.constant, options_.constant_value);
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

  const Options options_;
};

}  // namespace

extern constinit const TransformClass kInsertField = {
    .name = "org.apache.kafka.connect.transforms.InsertField",
    .has_targets = true,
    .options = kOptions,
    .doc = "Adds fields with metadata of the record, or a constant.",
    .check = Check,
    .make = MakeStage<InsertField, Read>};

}  // namespace walduct::transform
