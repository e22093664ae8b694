#include "encode/records/record_inputs.h"

#include "base/status_macros.h"
#include "encode/readers/read_formats.h"

namespace walduct::encode {

InputPlan FindInput(uint32_t input, const TablePlan* table) {
  InputPlan plan;
  const uint32_t index = input & 0xFFFFFF;
  if (input >= kFieldInputs) {
    plan.field = static_cast<InputField>(index);
    return plan;
  }
  plan.row = static_cast<InputRow>(input >> 24);
  const bool key = plan.row == InputRow::kKeyBefore || plan.row == InputRow::kKeyAfter;
  plan.row_plan = key ? &table->key : &table->row;
  plan.column = &plan.row_plan->fields[index];
  return plan;
}

void RecordInputs::Begin(const event::Emission& emission, const TablePlan* table,
                         int64_t now_nanos) {
  fields_.Begin(emission, now_nanos);
  table_ = table;
  if (table == nullptr) return;
  const event::ChangeEvent& change = *emission.change;
  before_ = change.before ? *change.before : event::RowView();
  after_ = change.after ? *change.after : event::RowView();
  streaming_ = change.operation != event::Operation::kRead;
}

bool RecordInputs::AppendField(InputField field, const ValueContext& context) const {
  return WithTextWriter(context, [&](auto* out) { return fields_.Write(field, out); });
}

absl::Status RecordInputs::Append(const InputPlan& plan, ValueContext* context, bool* null) const {
  return WithTextWriter(*context, [&](auto* out) { return Write(plan, context, out, null); });
}

absl::Status RecordInputs::Read(const InputPlan& plan, ValueContext* context, std::string* buffer,
                                event::Scalar* out) const {
  ScalarWriter writer(buffer, context->nested_arrays);
  bool null = false;
  RETURN_IF_ERROR(Write(plan, context, &writer, &null));
  if (null) {
    *out = event::Scalar::Null();
  } else {
    *out = writer.value();
  }
  return absl::OkStatus();
}

}  // namespace walduct::encode
