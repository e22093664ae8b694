// RecordInputs: the values of one record that a template refers to by number. The encoder gives the
// numbers out when it makes a template, and finds the values here when it writes a record.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "config/options/options.h"
#include "encode/formats/value_context.h"
#include "encode/records/source_block.h"
#include "encode/table/row_writer.h"
#include "encode/table/table_plan.h"
#include "event/emission.h"
#include "event/record_template.h"
#include "event/scalar.h"

namespace walduct::encode {

enum class InputRow : uint32_t {
  kBefore,  // columns of the value's rows, by their place in TablePlan::row
  kAfter,
  kKeyBefore,  // columns of the key, by their place in TablePlan::key
  kKeyAfter,
  kField,  // an InputField
};

// What else varies from record to record.
enum class InputField : uint32_t {
  kSourceMillis,
  kSourceMicros,
  kSourceNanos,
  kSnapshot,
  kSequence,
  kTransactionId,
  kLsn,
  kOrigin,
  kOriginLsn,
  kClockMillis,
  kClockMicros,
  kClockNanos,
  kMessagePrefix,
  kMessageContent,
  kBlockId,  // of the transaction block
  kTotalOrder,
  kCollectionOrder,
  kBoundaryId,  // of the records of the transaction topic
  kBoundaryEvents,
  kBoundaryCollections,
  kBoundaryMillis,
};

inline uint32_t InputNumber(InputRow row, size_t index) {
  return static_cast<uint32_t>(row) << 24 | static_cast<uint32_t>(index);
}
inline uint32_t InputNumber(InputField field) {
  return InputNumber(InputRow::kField, static_cast<size_t>(field));
}

struct InputPlan {
  InputRow row = InputRow::kField;
  InputField field = InputField::kSourceMillis;  // kField
  const RowPlan* row_plan = nullptr;             // columns; borrowed from the TablePlan
  const FieldPlan* column = nullptr;
};

// Where the plans of inputs come from while a template is compiled.
struct InputPlans {
  const TablePlan* table = nullptr;  // null: templates without columns
  // the source block as it was before the transforms; null: none
  const event::Node* source = nullptr;
  InputPlan Find(uint32_t input) const;
};

// The content of a logical message, by binary.handling.mode.
ConnectType MessageContentType(const config::ValueOptions& values);
void AppendMessageContent(const config::ValueOptions& values, absl::string_view content,
                          ValueContext* context);

class RecordInputs {
 public:
  // source: borrowed; null where no template has a source block that is written as a whole.
  explicit RecordInputs(config::ValueOptions values = {}, SourceBlock* source = nullptr)
      : values_(std::move(values)), source_(source) {}

  // All borrowed until the next call. table: null for records that are about no row.
  void Begin(const event::Emission& emission, const TablePlan* table, int64_t now_nanos);

  // Appends the value of a column; *null: it is NULL and nothing was appended. Errors: see
  // row_writer.h.
  absl::Status AppendColumnOf(const InputPlan& plan, ValueContext* context, bool* null) const {
    const Row& row = rows_[static_cast<size_t>(plan.row)];
    context->streaming = row.streaming;
    return AppendColumn(*table_, *plan.row_plan, *plan.column, row.source, context, null);
  }

  // The first `count` columns of a row, from `{` to the last value, as they are without transforms.
  absl::Status AppendColumns(InputRow row, const RowPlan& plan, size_t count,
                             ValueContext* context) const {
    const Row& values = rows_[static_cast<size_t>(row)];
    context->streaming = values.streaming;
    return AppendFirstFields(*table_, plan, count, values.source, context);
  }

  // The whole source block, and the clock's fields, as they are without transforms. JSON.
  void AppendSource(std::string* out) const;
  void AppendClock(InputField field, std::string* out) const;

  // The same for every input.
  absl::Status Append(const InputPlan& plan, ValueContext* context, bool* null) const;

  // The value for a function; text may be in *buffer or borrowed from the record.
  absl::Status Read(const InputPlan& plan, ValueContext* context, std::string* buffer,
                    event::Scalar* out) const;

 private:
  event::Scalar MessageContent(absl::string_view content, std::string* buffer) const;
  event::Scalar ReadBoundary(InputField field, std::string* buffer) const;
  event::Scalar ReadClock(InputField field) const;
  event::Scalar ReadField(InputField field, std::string* buffer) const;

  struct Row {
    RowSource source;
    bool streaming = false;  // see ValueContext
  };

  const config::ValueOptions values_;
  SourceBlock* const source_;
  const event::Emission* emission_ = nullptr;
  const TablePlan* table_ = nullptr;
  std::array<Row, 4> rows_;  // by InputRow
  int64_t now_nanos_ = 0;
  // Of now_nanos_, printed when first asked for.
  mutable std::optional<InstantDigits> clock_digits_;
};

}  // namespace walduct::encode
