// Kafka Connect's SetSchemaMetadata: sets name and version of the schema.
#include <memory>
#include <optional>
#include <string>
#include <utility>

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

StagePtr MakeSetSchemaMetadata(const TransformSpec& spec) {
  return std::make_unique<SetSchemaMetadata>(spec);
}

}  // namespace walduct::transform
