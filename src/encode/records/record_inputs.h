// RecordInputs: the values of one record that a template refers to by number. The encoder gives the
// numbers out when it makes a template, and finds the values here when it writes a record.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "encode/formats/value_context.h"
#include "encode/options/value_options.h"
#include "encode/records/instant_digits.h"
#include "encode/schema/record_layout.h"
#include "encode/table/row_writer.h"
#include "encode/table/table_plan.h"
#include "event/emission.h"
#include "event/record_template.h"
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
  explicit RecordInputs(ValueOptions values = {}) : values_(std::move(values)) {}

  // All borrowed until the next call. table: null for records that are about no row.
  void Begin(const event::Emission& emission, const TablePlan* table, int64_t now_nanos);

  // Another number whenever a field IsOfTransaction may have another value.
  uint64_t transaction() const { return transaction_; }
  // The same for a field IsOfOrigin: rare.
  uint64_t origin() const { return origin_; }

  // Appends the value of a column; *null: it is NULL and nothing was appended. Errors: see
  // row_writer.h, here and below.
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
  bool AppendField(InputField field, ValueContext* context) const;
  // The two parts of kSequence, in kJson with the quotes that a text within JSON has.
  void AppendSequenceCommit(ValueContext* context) const;
  void AppendSequenceChange(ValueContext* context) const;

  absl::Status Append(const InputPlan& plan, ValueContext* context, bool* null) const;
  // The value for a function; text may be in *buffer or borrowed from the record.
  absl::Status Read(const InputPlan& plan, ValueContext* context, std::string* buffer,
                    event::Scalar* out) const;

 private:
  // What the changes of a transaction have in common.
  struct Transaction {
    int64_t source_time_us = 0;
    std::optional<uint64_t> xid;
    std::optional<Lsn> last_commit_end;
    event::SnapshotMarker snapshot = event::SnapshotMarker::kFalse;
    std::string origin;
    Lsn origin_lsn;
  };

  bool IsSameOrigin(const event::ChangeEvent& change) const;
  bool IsSameTransaction(const event::ChangeEvent& change) const;
  void BeginTransaction(const event::ChangeEvent& change);
  bool IsStreamed(InputRow row) const { return streaming_ && row <= InputRow::kAfter; }
  RowSource RowOf(InputRow row) const {
    const bool before = row == InputRow::kBefore || row == InputRow::kKeyBefore;
    // The new row may lack TOAST values that the old one has (REPLICA IDENTITY FULL).
    return before ? RowSource{before_, {}} : RowSource{after_, before_};
  }
  absl::string_view LsnDigits() const;
  const InstantDigits& ClockDigits() const;
  bool AppendTransactionField(InputField field, ValueContext* context) const;
  bool AppendBoundaryField(InputField field, ValueContext* context) const;
  event::Scalar ReadMessageContent(std::string* buffer) const;
  event::Scalar ReadBoundary(InputField field, std::string* buffer) const;
  event::Scalar ReadField(InputField field, std::string* buffer) const;

  const ValueOptions values_;
  const event::Emission* emission_ = nullptr;
  const TablePlan* table_ = nullptr;
  event::RowView before_, after_;
  bool streaming_ = false;  // see ValueContext
  int64_t now_nanos_ = 0;
  uint64_t transaction_ = 0, origin_ = 0;
  Transaction known_;  // of transaction_
  InstantDigits source_digits_;
  // Printed when first asked for.
  mutable InstantDigits clock_digits_;
  mutable Lsn printed_lsn_;
  mutable size_t lsn_size_ = 0;
  mutable char lsn_digits_[24];
};

}  // namespace walduct::encode
