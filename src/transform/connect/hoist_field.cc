// Kafka Connect's HoistField: wraps the whole in a struct of one field.
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "base/status_macros.h"
#include "transform/connect/field_stage.h"
#include "transform/stages/stages.h"
#include "transform/template/template_edit.h"

namespace walduct::transform {
namespace {

using config::TransformSpec;
using event::ConnectType;
using event::Node;
using event::RecordTemplate;

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

}  // namespace

StagePtr MakeHoistField(const TransformSpec& spec) { return std::make_unique<HoistField>(spec); }

}  // namespace walduct::transform
