// Kafka Connect's InsertField: adds fields about the record, or a constant.
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/match.h"
#include "base/status_macros.h"
#include "transform/connect/field_stage.h"
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

}  // namespace

StagePtr MakeInsertField(const TransformSpec& spec) { return std::make_unique<InsertField>(spec); }

}  // namespace walduct::transform
