#include "encode/records/record_inputs.h"

#include "base/integer.h"
#include "base/status_macros.h"
#include "encode/formats/scalar_text.h"
#include "encode/readers/binary_readers.h"
#include "encode/readers/read_formats.h"
#include "encode/records/source_block.h"
#include "encode/records/transaction_records.h"
#include "encode/table/row_writer.h"

namespace walduct::encode {
namespace {

using event::Scalar;

Scalar KnownNumber(bool known, uint64_t number) {
  return known ? Scalar::Integer(static_cast<int64_t>(number)) : Scalar::Null();
}

}  // namespace

// Logical messages are bytes, which binary.handling.mode may make strings.
ConnectType MessageContentType(const config::ValueOptions& values) {
  return values.binary == config::BinaryMode::kBytes ? ConnectType::kBytes : ConnectType::kString;
}

void AppendMessageContent(const config::ValueOptions& values, absl::string_view content,
                          ValueContext* context) {
  const auto form = static_cast<BytesForm>(values.binary);  // the same enumerators
  WithTextWriter(*context, [&](auto* out) { WriteBytes(content, form, out); });
}

InputPlan InputPlans::Find(uint32_t input) const {
  InputPlan plan;
  plan.row = static_cast<InputRow>(input >> 24);
  const uint32_t index = input & 0xFFFFFF;
  if (plan.row == InputRow::kField) {
    plan.field = static_cast<InputField>(index);
    return plan;
  }
  const bool key = plan.row == InputRow::kKeyBefore || plan.row == InputRow::kKeyAfter;
  plan.row_plan = key ? &table->key : &table->row;
  plan.column = &plan.row_plan->fields[index];
  return plan;
}

void RecordInputs::Begin(const event::Emission& emission, const TablePlan* table,
                         int64_t now_nanos) {
  emission_ = &emission;
  table_ = table;
  now_nanos_ = now_nanos;
  clock_digits_.reset();
  if (table == nullptr) return;
  const event::ChangeEvent& change = *emission.change;
  const bool streaming = change.operation != event::Operation::kRead;
  const event::RowView before = change.before.value_or(event::RowView());
  // The new row may lack TOAST values that the old one has (REPLICA IDENTITY FULL).
  const RowSource old_row = {before, {}};
  const RowSource new_row = {change.after.value_or(event::RowView()), before};
  rows_ = {Row{old_row, streaming}, Row{new_row, streaming}, Row{old_row, false},
           Row{new_row, false}};
}

void RecordInputs::AppendSource(std::string* out) const {
  source_->Append(*emission_->change, table_->source_table, TextFormat::kJson, out);
}

void RecordInputs::AppendClock(InputField field, std::string* out) const {
  if (!clock_digits_) clock_digits_.emplace(now_nanos_);
  const size_t digits = field == InputField::kClockMillis   ? 6
                        : field == InputField::kClockMicros ? 3
                                                            : 0;
  clock_digits_->AppendWithoutLast(digits, out);
}

absl::Status RecordInputs::Append(const InputPlan& plan, ValueContext* context, bool* null) const {
  if (plan.row != InputRow::kField) return AppendColumnOf(plan, context, null);
  if (plan.field == InputField::kBoundaryCollections && context->format == TextFormat::kStruct) {
    context->out->push_back('[');
    AppendCollectionsStruct(*emission_->boundary, context->out);
    context->out->push_back(']');
    return absl::OkStatus();
  }
  std::string* buffer = &context->scratch->element;
  buffer->clear();
  const Scalar value = ReadField(plan.field, buffer);
  *null = value.is_null();
  if (!*null) AppendScalar(value, nullptr, context);
  return absl::OkStatus();
}

absl::Status RecordInputs::Read(const InputPlan& plan, ValueContext* context, std::string* buffer,
                                Scalar* out) const {
  if (plan.row == InputRow::kField) {
    *out = ReadField(plan.field, buffer);
    return absl::OkStatus();
  }
  const Row& row = rows_[static_cast<size_t>(plan.row)];
  context->streaming = row.streaming;
  TextTarget target = *context;
  target.out = buffer;
  ScalarWriter writer(&target, out);
  bool null = false;
  RETURN_IF_ERROR(
      WriteColumn(*table_, *plan.row_plan, *plan.column, row.source, context, &writer, &null));
  if (null) *out = Scalar::Null();
  return absl::OkStatus();
}

Scalar RecordInputs::MessageContent(absl::string_view content, std::string* buffer) const {
  if (values_.binary == config::BinaryMode::kBytes) return Scalar::Bytes(content);
  ValueContext context;
  context.out = buffer;
  context.format = TextFormat::kStruct;
  AppendMessageContent(values_, content, &context);
  return Scalar::Text(*buffer);
}

Scalar RecordInputs::ReadClock(InputField field) const {
  if (field == InputField::kClockNanos) return Scalar::Integer(now_nanos_);
  return Scalar::Integer(
      FloorDivide(now_nanos_, field == InputField::kClockMicros ? 1000 : 1'000'000));
}

Scalar RecordInputs::ReadBoundary(InputField field, std::string* buffer) const {
  const event::TransactionBoundary& boundary = *emission_->boundary;
  switch (field) {
    case InputField::kBoundaryId:
      AppendTransactionId(boundary.xid, boundary.lsn, buffer);
      return Scalar::Text(*buffer);
    case InputField::kBoundaryEvents:
      return Scalar::Integer(static_cast<int64_t>(boundary.events));
    case InputField::kBoundaryCollections:
      buffer->push_back('[');
      AppendCollectionsJson(boundary, buffer);
      buffer->push_back(']');
      return Scalar::Json(*buffer);
    default:
      return Scalar::Integer(FloorDivide(boundary.commit_time_us, 1000));
  }
}

Scalar RecordInputs::ReadField(InputField field, std::string* buffer) const {
  if (field >= InputField::kBoundaryId) return ReadBoundary(field, buffer);
  if (field >= InputField::kClockMillis && field <= InputField::kClockNanos)
    return ReadClock(field);
  const event::ChangeEvent& change = *emission_->change;
  switch (field) {
    case InputField::kSourceMillis:
      return Scalar::Integer(FloorDivide(change.source_time_us, 1000));
    case InputField::kSourceMicros:
      return Scalar::Integer(change.source_time_us);
    case InputField::kSourceNanos:
      return Scalar::Integer(change.source_time_us * 1000);
    case InputField::kSnapshot:
      return change.snapshot == event::SnapshotMarker::kFalse
                 ? Scalar::Null()
                 : Scalar::Text(SnapshotMarkerText(change.snapshot));
    case InputField::kSequence:
      AppendSequenceText(change, buffer);
      return Scalar::Text(*buffer);
    case InputField::kTransactionId:
      return KnownNumber(change.xid.has_value(), change.xid.value_or(0));
    case InputField::kLsn:
      return KnownNumber(change.lsn.valid(), change.lsn.value());
    case InputField::kOrigin:
      return change.origin.empty() ? Scalar::Null() : Scalar::Text(change.origin);
    case InputField::kOriginLsn:
      return KnownNumber(change.origin_lsn.valid(), change.origin_lsn.value());
    case InputField::kMessagePrefix:
      return Scalar::Text(change.message->prefix);
    case InputField::kMessageContent:
      return MessageContent(change.message->content, buffer);
    case InputField::kBlockId:
      AppendTransactionId(change.xid.value_or(0), change.lsn, buffer);
      return Scalar::Text(*buffer);
    case InputField::kTotalOrder:
      return Scalar::Integer(static_cast<int64_t>(emission_->order.total));
    case InputField::kCollectionOrder:
      return Scalar::Integer(static_cast<int64_t>(emission_->order.in_collection));
    default:
      break;
  }
  return Scalar::Null();
}

}  // namespace walduct::encode
