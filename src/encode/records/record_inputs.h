// RecordInputs: the values of one record that a template refers to by number. The encoder gives the
// numbers out when it makes a template, and finds the values here when it writes a record.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "encode/formats/value_context.h"
#include "encode/records/record_fields.h"
#include "encode/schema/record_layout.h"
#include "encode/table/row_writer.h"
#include "encode/table/table_plan.h"
#include "event/emission.h"
#include "event/scalar.h"

namespace walduct::encode {

// A column by its place in TablePlan::row or TablePlan::key.
inline uint32_t InputNumber(InputRow row, size_t index) {
  return static_cast<uint32_t>(row) << 24 | static_cast<uint32_t>(index);
}
inline constexpr uint32_t kFieldInputs = 4u << 24;
inline uint32_t InputNumber(InputField field) {
  return kFieldInputs | static_cast<uint32_t>(field);
}

struct InputPlan {
  const FieldPlan* column = nullptr;  // null: a field
  const RowPlan* row_plan = nullptr;  // of the column; borrowed from the TablePlan
  InputRow row = InputRow::kBefore;
  InputField field = InputField::kSourceMillis;
};

// table: null where templates have no columns.
InputPlan FindInput(uint32_t input, const TablePlan* table);

class RecordInputs {
 public:
  explicit RecordInputs(const ValueOptions& values) : fields_(values) {}

  // All borrowed until the next call. table: null for records that are about no row.
  void Begin(const event::Emission& emission, const TablePlan* table, int64_t now_nanos);

  const RecordFields& fields() const { return fields_; }
  void SetXmin(std::optional<uint64_t> xmin) { fields_.SetXmin(xmin); }

  // For the formats of text. Errors: see row_writer.h, here and below.
  // Appends the value of a column; *null: it is NULL and nothing was appended.
  absl::Status AppendColumnOf(const InputPlan& plan, ValueContext* context, bool* null) const {
    context->streaming = IsStreamed(plan.row);
    return AppendColumn(*table_, *plan.row_plan, *plan.column, RowOf(plan.row), context, null);
  }
  // The first `count` columns of a row, from `{` to the last value. Not kStruct.
  absl::Status AppendColumns(InputRow row, const RowPlan& plan, size_t count,
                             ValueContext* context) const {
    context->streaming = IsStreamed(row);
    return AppendFirstFields(*table_, plan, count, RowOf(row), context);
  }
  absl::Status AppendWholeRow(InputRow row, const RowPlan& plan, ValueContext* context) const {
    context->streaming = IsStreamed(row);
    return AppendRow(*table_, plan, RowOf(row), context);
  }
  // Appends the value of a field; false: it is NULL and nothing was appended.
  bool AppendField(InputField field, const ValueContext& context) const;
  absl::Status Append(const InputPlan& plan, ValueContext* context, bool* null) const;

  // The same for any writer.
  template <typename Writer>
  absl::Status Write(const InputPlan& plan, RowContext* context, Writer* out, bool* null) const {
    if (plan.column == nullptr) {
      *null = !fields_.Write(plan.field, out);
      return absl::OkStatus();
    }
    context->streaming = IsStreamed(plan.row);
    return WriteColumn(*table_, *plan.row_plan, *plan.column, RowOf(plan.row), context, out, null);
  }
  template <typename Writer>
  absl::Status WriteColumns(InputRow row, const RowPlan& plan, size_t count, RowContext* context,
                            Writer* out) const {
    context->streaming = IsStreamed(row);
    return WriteFirstFields(*table_, plan, count, RowOf(row), context, out);
  }

  // The value for a function; its text is in *buffer, which is empty before.
  absl::Status Read(const InputPlan& plan, ValueContext* context, std::string* buffer,
                    event::Scalar* out) const;

 private:
  bool IsStreamed(InputRow row) const { return streaming_ && row <= InputRow::kAfter; }
  RowSource RowOf(InputRow row) const {
    const bool before = row == InputRow::kBefore || row == InputRow::kKeyBefore;
    // The new row may lack TOAST values that the old one has (REPLICA IDENTITY FULL).
    return before ? RowSource{before_, {}} : RowSource{after_, before_};
  }

  RecordFields fields_;
  const TablePlan* table_ = nullptr;
  event::RowView before_, after_;
  bool streaming_ = false;  // see ValueContext
};

}  // namespace walduct::encode
