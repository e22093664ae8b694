#include "encode/records/record_inputs.h"

#include "base/integer.h"
#include "base/status_macros.h"
#include "encode/formats/scalar_text.h"
#include "encode/readers/read_formats.h"
#include "encode/records/field_text.h"

namespace walduct::encode {
namespace {

using event::ChangeEvent;
using event::Scalar;

Scalar KnownNumber(bool known, uint64_t number) {
  return known ? Scalar::Integer(static_cast<int64_t>(number)) : Scalar::Null();
}

}  // namespace

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
  emission_ = &emission;
  table_ = table;
  now_nanos_ = now_nanos;
  if (emission.change == nullptr) return;
  const ChangeEvent& change = *emission.change;
  before_ = change.before ? *change.before : event::RowView();
  after_ = change.after ? *change.after : event::RowView();
  streaming_ = change.operation != event::Operation::kRead;
  if (!IsSameTransaction(change)) BeginTransaction(change);
}

bool RecordInputs::IsSameOrigin(const ChangeEvent& change) const {
  return change.snapshot == known_.snapshot && change.origin_lsn == known_.origin_lsn &&
         change.origin.size() == known_.origin.size() &&
         (change.origin.empty() || change.origin == known_.origin);
}

bool RecordInputs::IsSameTransaction(const ChangeEvent& change) const {
  return change.source_time_us == known_.source_time_us && change.xid == known_.xid &&
         change.last_commit_end == known_.last_commit_end && IsSameOrigin(change) &&
         transaction_ != 0;
}

void RecordInputs::BeginTransaction(const ChangeEvent& change) {
  ++transaction_;
  if (origin_ == 0 || !IsSameOrigin(change)) ++origin_;
  known_.source_time_us = change.source_time_us;
  known_.xid = change.xid;
  known_.last_commit_end = change.last_commit_end;
  known_.snapshot = change.snapshot;
  known_.origin.assign(change.origin.data(), change.origin.size());
  known_.origin_lsn = change.origin_lsn;
  source_digits_.Set(change.source_time_us);
}

absl::Status RecordInputs::Append(const InputPlan& plan, ValueContext* context, bool* null) const {
  if (plan.column != nullptr) return AppendColumnOf(plan, context, null);
  *null = !AppendField(plan.field, context);
  return absl::OkStatus();
}

absl::Status RecordInputs::Read(const InputPlan& plan, ValueContext* context, std::string* buffer,
                                Scalar* out) const {
  if (plan.column == nullptr) {
    *out = ReadField(plan.field, buffer);
    return absl::OkStatus();
  }
  context->streaming = IsStreamed(plan.row);
  TextTarget target = *context;
  target.out = buffer;
  ScalarWriter writer(&target, out);
  bool null = false;
  RETURN_IF_ERROR(
      WriteColumn(*table_, *plan.row_plan, *plan.column, RowOf(plan.row), context, &writer, &null));
  if (null) *out = Scalar::Null();
  return absl::OkStatus();
}

Scalar RecordInputs::ReadMessageContent(std::string* buffer) const {
  const absl::string_view content = emission_->change->message->content;
  if (values_.binary == BinaryMode::kBytes) return Scalar::Bytes(content);
  ValueContext context;
  context.out = buffer;
  context.format = TextFormat::kStruct;
  AppendMessageContent(values_, content, &context);
  return Scalar::Text(*buffer);
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
      AppendCollections(boundary, TextFormat::kJson, buffer);
      return Scalar::Json(*buffer);
    default:
      return Scalar::Integer(FloorDivide(boundary.commit_time_us, 1000));
  }
}

Scalar RecordInputs::ReadField(InputField field, std::string* buffer) const {
  if (field >= InputField::kBoundaryId) return ReadBoundary(field, buffer);
  if (field == InputField::kClockNanos) return Scalar::Integer(now_nanos_);
  if (field == InputField::kClockMicros) return Scalar::Integer(FloorDivide(now_nanos_, 1000));
  if (field == InputField::kClockMillis) return Scalar::Integer(FloorDivide(now_nanos_, 1'000'000));
  const ChangeEvent& change = *emission_->change;
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
    case InputField::kTransactionId:
      return KnownNumber(change.xid.has_value(), change.xid.value_or(0));
    case InputField::kOrigin:
      return change.origin.empty() ? Scalar::Null() : Scalar::Text(change.origin);
    case InputField::kOriginLsn:
      return KnownNumber(change.origin_lsn.valid(), change.origin_lsn.value());
    case InputField::kSequence:
      AppendSequence(change, buffer);
      return Scalar::Text(*buffer);
    case InputField::kLsn:
      return KnownNumber(change.lsn.valid(), change.lsn.value());
    case InputField::kBlockId:
      AppendTransactionId(change.xid.value_or(0), change.lsn, buffer);
      return Scalar::Text(*buffer);
    case InputField::kTotalOrder:
      return Scalar::Integer(static_cast<int64_t>(emission_->order.total));
    case InputField::kCollectionOrder:
      return Scalar::Integer(static_cast<int64_t>(emission_->order.in_collection));
    case InputField::kMessagePrefix:
      return Scalar::Text(change.message->prefix);
    case InputField::kMessageContent:
      return ReadMessageContent(buffer);
    default:
      return Scalar::Null();
  }
}

}  // namespace walduct::encode
