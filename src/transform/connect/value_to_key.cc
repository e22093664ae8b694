// Kafka Connect's ValueToKey: makes the key from fields of the value.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
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

}  // namespace

StagePtr MakeValueToKey(const TransformSpec& spec) { return std::make_unique<ValueToKey>(spec); }

}  // namespace walduct::transform
