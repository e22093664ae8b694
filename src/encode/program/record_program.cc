#include "encode/program/record_program.h"

#include <algorithm>
#include <utility>

#include "base/status_macros.h"
#include "encode/program/part_compiler.h"
#include "event/header_error.h"

namespace walduct::encode {
namespace {

std::optional<int64_t> NumberOf(const event::Scalar& value) {
  if (value.kind != event::Scalar::Kind::kInteger) return std::nullopt;
  return value.integer;
}

}  // namespace

absl::StatusOr<std::unique_ptr<RecordProgram>> RecordProgram::Compile(
    const event::RecordTemplate& record, const TablePlan* table, const Converters& converters,
    HeaderPool* pool) {
  auto program = std::make_unique<RecordProgram>();
  size_t buffers = 0;
  program->topic_ = record.topic;
  PartCompiler key(table, &buffers, &program->key_);
  key.SetRegistry(record.topic, converters.ids.key);
  RETURN_IF_ERROR(key.Compile(record.key, PartProgram::Role::kKey, converters.key));
  PartCompiler value(table, &buffers, &program->value_);
  value.SetRegistry(record.topic, converters.ids.value);
  value.SetHeaders(&record.headers);
  RETURN_IF_ERROR(value.Compile(record.value, PartProgram::Role::kValue, converters.value));
  program->asks_for_ids_ = program->key_.asks_for_id() || program->value_.asks_for_id();
  program->has_id_headers_ = program->key_.has_id_headers() || program->value_.has_id_headers();
  RETURN_IF_ERROR(program->CompileHeaders(record, table, converters, &buffers));
  program->ShareHeaders(pool);
  const auto leaf = [&](const std::optional<event::Node>& node) {
    return node ? std::make_unique<LeafProgram>(CompileLeaf(*node, table, &buffers)) : nullptr;
  };
  program->partition_ = leaf(record.partition);
  program->timestamp_ = leaf(record.timestamp);
  return program;
}

absl::Status RecordProgram::CompileHeaders(const event::RecordTemplate& record,
                                           const TablePlan* table, const Converters& converters,
                                           size_t* buffers) {
  for (const event::Node& header : record.headers) {
    PartProgram part;
    PartCompiler compiler(table, buffers, &part);
    if (converters.header) {
      const absl::Status status =
          compiler.Compile(header, PartProgram::Role::kHeader, *converters.header);
      if (!status.ok()) return event::HeaderError(status, header.name);
    } else {
      compiler.CompileSimple(header);
    }
    part.set_name(header.name);
    headers_.push_back(std::move(part));
  }
  for (const PartProgram& part : headers_)
    header_values_.push_back({part.name(), part.constant().value_or("")});
  return absl::OkStatus();
}

void RecordProgram::ShareHeaders(HeaderPool* pool) {
  const bool constant = !has_id_headers_ &&
                        std::all_of(headers_.begin(), headers_.end(), [](const PartProgram& part) {
                          return part.constant().has_value();
                        });
  if (!constant) return;
  constant_headers_ = pool == nullptr ? std::make_shared<const ConstantHeaders>(header_values_)
                                      : pool->Share(header_values_);
  headers_ = std::vector<PartProgram>();
  header_values_ = std::vector<event::Header>();
}

void RecordProgram::BeginTransaction(const RecordInputs& inputs, ValueContext* context) {
  transaction_ = inputs.fields().transaction();
  if (key_.has_transaction_text()) key_.BeginTransaction(inputs, context);
  if (value_.has_transaction_text()) value_.BeginTransaction(inputs, context);
  for (PartProgram& header : headers_) {
    if (header.has_transaction_text()) header.BeginTransaction(inputs, context);
  }
}

// The key's first, as Connect does.
absl::Status RecordProgram::FindIds() {
  RETURN_IF_ERROR(key_.Prepare());
  RETURN_IF_ERROR(value_.Prepare());
  asks_for_ids_ = false;
  return absl::OkStatus();
}

// Behind those of the template; a null has none.
void RecordProgram::AddIdHeaders(const event::Record& record) {
  header_values_.resize(headers_.size());
  if (record.key && key_.has_id_headers()) key_.AddIdHeaders(&header_values_);
  if (record.value && value_.has_id_headers()) value_.AddIdHeaders(&header_values_);
}

absl::Status RecordProgram::Run(const RecordInputs& inputs, ValueContext* context,
                                ProgramBuffers* buffers, event::Record* record) {
  record->topic = topic_;
  if (asks_for_ids_) RETURN_IF_ERROR(FindIds());
  if (inputs.fields().transaction() != transaction_) BeginTransaction(inputs, context);
  RETURN_IF_ERROR(key_.Run(inputs, context, buffers, &buffers->key, &record->key));
  RETURN_IF_ERROR(value_.Run(inputs, context, buffers, &buffers->value, &record->value));
  if (constant_headers_ != nullptr) {
    record->headers = constant_headers_->headers();
  } else {
    RETURN_IF_ERROR(RunHeaders(inputs, context, buffers));
    if (has_id_headers_) AddIdHeaders(*record);
    record->headers = header_values_;
  }
  if (partition_ || timestamp_) return RunPlace(inputs, context, buffers, record);
  return absl::OkStatus();
}

absl::Status RecordProgram::RunHeaders(const RecordInputs& inputs, ValueContext* context,
                                       ProgramBuffers* buffers) {
  for (size_t i = 0; i < headers_.size(); ++i) {
    const PartProgram& part = headers_[i];
    if (part.constant()) continue;
    std::optional<absl::string_view> text;
    const absl::Status status =
        part.Run(inputs, context, buffers, ProgramBuffers::At(&buffers->header_texts, i), &text);
    if (!status.ok()) return event::HeaderError(status, part.name());
    header_values_[i].value = text.value_or("");
    header_values_[i].is_null = !text.has_value();
  }
  return absl::OkStatus();
}

absl::Status RecordProgram::RunPlace(const RecordInputs& inputs, ValueContext* context,
                                     ProgramBuffers* buffers, event::Record* record) const {
  event::Scalar number;
  if (partition_) {
    RETURN_IF_ERROR(ReadLeaf(*partition_, inputs, context, buffers, &number));
    if (const auto value = NumberOf(number)) record->partition = static_cast<int32_t>(*value);
  }
  if (timestamp_) {
    RETURN_IF_ERROR(ReadLeaf(*timestamp_, inputs, context, buffers, &number));
    record->timestamp_ms = NumberOf(number);
  }
  return absl::OkStatus();
}

}  // namespace walduct::encode
