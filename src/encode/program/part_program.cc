#include "encode/program/part_program.h"

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "encode/formats/number_bytes.h"
#include "encode/formats/scalar_text.h"
#include "encode/program/cloud_event_part.h"
#include "encode/table/bytes_only_error.h"

namespace walduct::encode {

using event::Scalar;

absl::Status PartProgram::Prepare() {
  if (event_ != nullptr) return event_->Prepare();
  if (schema_id_ != nullptr) return FindHead();
  if (protobuf_ != nullptr) return protobuf_->Prepare();
  return avro_ == nullptr ? absl::OkStatus() : avro_->Prepare();
}

absl::Status PartProgram::FindHead() {
  if (schema_id_->known()) return absl::OkStatus();
  RETURN_IF_ERROR(schema_id_->Find());
  if (converter_.json_schema) {
    for (size_t i = 0; i < kIdSize; ++i)
      (*own_head_)[1 + i] = static_cast<char>(schema_id_->value() >> (8 * (kIdSize - 1 - i)));
  } else {
    *own_head_ = absl::StrCat("{\"schemaId\":", schema_id_->value(), ",\"payload\":");
  }
  head_ = *own_head_;
  return absl::OkStatus();
}

absl::Status PartProgram::RunNumber(const RecordInputs& inputs, ValueContext* context,
                                    ProgramBuffers* buffers,
                                    std::optional<absl::string_view>* out) const {
  OutBuffer* const buffer = context->out;
  Scalar value;
  RETURN_IF_ERROR(ReadLeaf(members_[0].leaf, inputs, context, buffers, &value));
  if (value.is_null()) return absl::OkStatus();
  if (!AppendNumberBytes(value, converter_.number, buffer))
    return DoesNotFit(members_[0].leaf.name);
  *out = *buffer;
  return absl::OkStatus();
}

void PartProgram::BeginTransaction(const RecordInputs& inputs, ValueContext* context) {
  if (avro_ != nullptr) return avro_->BeginTransaction(inputs);
  if (protobuf_ != nullptr) return protobuf_->BeginTransaction(inputs);
  if (event_ != nullptr) return event_->BeginTransaction(inputs, context);
  for (const Step& step : steps_) {
    TransactionText* const text = step.of_transaction.get();
    if (text == nullptr || !text->IsOutdated(inputs)) continue;
    Begin(text->buffer(), context);
    text->Print(inputs, context);
  }
}

absl::Status PartProgram::RunOther(const RecordInputs& inputs, ValueContext* context,
                                   ProgramBuffers* buffers, OutBuffer* buffer,
                                   std::optional<absl::string_view>* out) const {
  if (form_ == Form::kAvro) return avro_->Run(inputs, context, buffers, buffer, out);
  if (form_ == Form::kProtobuf) return protobuf_->Run(inputs, context, buffers, buffer, out);
  if (form_ == Form::kCloudEvent) return event_->Run(inputs, context, buffers, buffer, out);
  if (form_ == Form::kNull) return absl::OkStatus();
  if (form_ == Form::kConstant) {
    *out = constants_;
    return absl::OkStatus();
  }
  Begin(buffer, context);
  if (form_ == Form::kBytes) return RunBytes(inputs, context, buffers, out);
  if (form_ == Form::kNumber) return RunNumber(inputs, context, buffers, out);
  bool null = false;
  const LeafProgram& leaf = members_[0].leaf;
  if (form_ == Form::kHeaderText) {
    Scalar value;
    RETURN_IF_ERROR(ReadLeaf(leaf, inputs, context, buffers, &value));
    if (value.is_null()) return absl::OkStatus();
    context->out = buffer;
    AppendHeaderScalar(value, leaf.schema.get(), context);
    *out = *buffer;
    return absl::OkStatus();
  }
  buffer->append(head_);
  RETURN_IF_ERROR(AppendLeaf(leaf, converter_, inputs, context, buffers, &null));
  // StringConverter writes null for null; JsonConverter the word, unless there is no schema.
  if (null && (format_ == TextFormat::kStruct || schemaless_)) return absl::OkStatus();
  if (null) buffer->append("null");
  buffer->append(tail_);
  *out = *buffer;
  return absl::OkStatus();
}

absl::Status PartProgram::RunBytes(const RecordInputs& inputs, ValueContext* context,
                                   ProgramBuffers* buffers,
                                   std::optional<absl::string_view>* out) const {
  OutBuffer* const buffer = context->out;
  Scalar value;
  RETURN_IF_ERROR(ReadLeaf(members_[0].leaf, inputs, context, buffers, &value));
  if (value.is_null()) return absl::OkStatus();
  // A Decimal's schema is bytes, too.
  if (value.kind != Scalar::Kind::kBytes)
    return BytesOnlyError(role_ == Role::kKey     ? "key"
                          : role_ == Role::kValue ? "value"
                                                  : "header",
                          "is something else");
  buffer->assign(value.text);
  *out = *buffer;
  return absl::OkStatus();
}

absl::Status PartProgram::RunColumn(const Step& step, const RecordInputs& inputs,
                                    ValueContext* context) const {
  const LeafProgram& leaf = members_[step.leaf].leaf;
  bool null = false;
  RETURN_IF_ERROR(inputs.AppendColumnOf(leaf.input, context, &null));
  if (!null) return absl::OkStatus();
  RETURN_IF_ERROR(FillNull(leaf, converter_, context, &null));
  if (null) context->out->append("null");
  return absl::OkStatus();
}

absl::Status PartProgram::RunMember(const Step& step, const RecordInputs& inputs,
                                    ValueContext* context, ProgramBuffers* buffers,
                                    bool* first) const {
  const MemberStep& member = members_[step.leaf];
  OutBuffer* const out = context->out;
  const size_t size = out->size();
  if (member.first) *first = true;
  if (member.comma && !*first) out->push_back(',');
  out->append(member.label);
  bool null = false;
  RETURN_IF_ERROR(AppendLeaf(member.leaf, converter_, inputs, context, buffers, &null));
  if (null) {
    out->CutTo(size);
  } else {
    *first = false;
  }
  return absl::OkStatus();
}

absl::Status PartProgram::RunSteps(const RecordInputs& inputs, ValueContext* context,
                                   ProgramBuffers* buffers) const {
  OutBuffer* const out = context->out;
  bool first = true, null = false;
  const char* constant = constants_.data();
  for (const Step& step : steps_) {
    out->append(step.of_transaction == nullptr ? absl::string_view(constant, step.constant)
                                               : step.of_transaction->printed());
    constant += step.constant;
    switch (step.kind) {
      case Step::Kind::kText:
        break;
      case Step::Kind::kColumns:
        RETURN_IF_ERROR(inputs.AppendColumns(step.row, *step.row_plan, step.count, context));
        break;
      case Step::Kind::kRow:
        RETURN_IF_ERROR(inputs.AppendWholeRow(step.row, *step.row_plan, context));
        break;
      case Step::Kind::kField:
        if (!inputs.AppendField(step.field, *context)) out->append("null");
        break;
      case Step::Kind::kSequence:
        inputs.fields().AppendSequenceChange(format_ == TextFormat::kJson, out);
        break;
      case Step::Kind::kColumn:
        RETURN_IF_ERROR(RunColumn(step, inputs, context));
        break;
      case Step::Kind::kLeaf:
        RETURN_IF_ERROR(
            AppendLeaf(members_[step.leaf].leaf, converter_, inputs, context, buffers, &null));
        if (null) out->append("null");
        break;
      case Step::Kind::kMember:
        RETURN_IF_ERROR(RunMember(step, inputs, context, buffers, &first));
        break;
      case Step::Kind::kComma:
        if (!first) out->push_back(',');
        break;
    }
  }
  return absl::OkStatus();
}

}  // namespace walduct::encode
