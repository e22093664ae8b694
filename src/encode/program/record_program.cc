#include "encode/program/record_program.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "encode/formats/scalar_text.h"
#include "encode/program/program_compiler.h"
#include "encode/table/bytes_only_error.h"
#include "event/header_error.h"
#include "event/transform_error.h"

namespace walduct::encode {
namespace {

using event::Leaf;
using event::Scalar;

absl::Status RequiredIsNull(const std::string& name) {
  return Error(
      absl::StatusCode::kInvalidArgument, "required_field_null",
      absl::StrCat("field ", name, " is null, but its schema requires a value and has no default"));
}

// What takes the place of NULL: the default where a transform or the converter says so. True:
// something was appended.
bool AppendDefault(const LeafProgram& leaf, const config::ConverterOptions& converter,
                   ValueContext* context) {
  if (leaf.schema == nullptr || !leaf.schema->default_value) return false;
  const bool wanted = leaf.null_is_default || context->format == TextFormat::kHeader ||
                      (context->format == TextFormat::kJson && converter.replace_null_with_default);
  if (!wanted) return false;
  if (context->format == TextFormat::kJson) {
    context->out->append(leaf.schema->default_value->json);
    return true;
  }
  std::string buffer;
  return AppendScalar(DefaultScalar(*leaf.schema, &buffer), leaf.schema.get(), context);
}

absl::Status AppendLeafScalar(const Scalar& value, const LeafProgram& leaf, ValueContext* context) {
  if (AppendScalar(value, leaf.schema.get(), context)) return absl::OkStatus();
  return Error(
      absl::StatusCode::kInvalidArgument, "value_does_not_fit",
      absl::StrCat("field ", leaf.name, " holds a number that its schema has no room for"));
}

// For a leaf that is NULL: its default, if that is wanted. *null: nothing was appended.
absl::Status FillNull(const LeafProgram& leaf, const config::ConverterOptions& converter,
                      ValueContext* context, bool* null) {
  *null = !AppendDefault(leaf, converter, context);
  const bool required = *null && leaf.schema != nullptr && !leaf.schema->optional;
  return required && context->format == TextFormat::kJson ? RequiredIsNull(leaf.name)
                                                          : absl::OkStatus();
}

// *null: nothing was appended.
absl::Status AppendLeaf(const LeafProgram& leaf, const config::ConverterOptions& converter,
                        const RecordInputs& inputs, ValueContext* context, ProgramBuffers* buffers,
                        bool* null) {
  *null = false;
  if (leaf.kind == Leaf::Kind::kInput) {
    RETURN_IF_ERROR(inputs.Append(leaf.input, context, null));
  } else {
    Scalar value;
    RETURN_IF_ERROR(ReadLeaf(leaf, inputs, context, buffers, &value));
    *null = value.is_null();
    if (!*null) RETURN_IF_ERROR(AppendLeafScalar(value, leaf, context));
  }
  return *null ? FillNull(leaf, converter, context, null) : absl::OkStatus();
}

// Places of buffers are known when the program is compiled; a buffer keeps its memory from record
// to record.
template <typename T>
T* BufferAt(std::deque<T>* buffers, size_t index) {
  while (buffers->size() <= index) buffers->emplace_back();
  return &(*buffers)[index];
}

std::optional<int64_t> NumberOf(const Scalar& value) {
  if (value.kind != Scalar::Kind::kInteger) return std::nullopt;
  return value.integer;
}

}  // namespace

absl::Status ReadLeaf(const LeafProgram& leaf, const RecordInputs& inputs, ValueContext* context,
                      ProgramBuffers* buffers, Scalar* out) {
  if (leaf.kind == Leaf::Kind::kConstant) {
    *out = leaf.constant;
    out->text = leaf.constant_text;
  } else {
    std::string* buffer = BufferAt(&buffers->texts, leaf.buffer);
    buffer->clear();
    if (leaf.kind == Leaf::Kind::kInput) {
      RETURN_IF_ERROR(inputs.Read(leaf.input, context, buffer, out));
    } else {
      std::vector<Scalar>* operands = BufferAt(&buffers->operands, leaf.buffer);
      operands->resize(leaf.operands.size());
      for (size_t i = 0; i < leaf.operands.size(); ++i)
        RETURN_IF_ERROR(ReadLeaf(leaf.operands[i], inputs, context, buffers, &(*operands)[i]));
      const absl::Status applied = leaf.function->Apply(*operands, buffer, out);
      if (!applied.ok()) return event::TransformError(applied, leaf.by, "the record");
    }
  }
  if (out->is_null() && leaf.null_is_default && leaf.schema != nullptr)
    *out = DefaultScalar(*leaf.schema, BufferAt(&buffers->texts, leaf.buffer));
  return absl::OkStatus();
}

absl::Status RecordProgram::RunNull(const LeafProgram& leaf, const Part& part,
                                    ValueContext* context, bool* null) {
  RETURN_IF_ERROR(FillNull(leaf, part.converter, context, null));
  if (*null) context->out->append("null");
  return absl::OkStatus();
}

absl::Status RecordProgram::RunWhole(const Step& step, const RecordInputs& inputs,
                                     ValueContext* context) {
  switch (step.kind) {
    case Step::Kind::kColumns:
      return inputs.AppendColumns(step.leaf.input.row, *step.leaf.input.row_plan, step.columns,
                                  context);
    case Step::Kind::kSource:
      inputs.AppendSource(context->out);
      break;
    case Step::Kind::kClock:
      inputs.AppendClock(step.leaf.input.field, context->out);
      break;
    case Step::Kind::kLeaf:
    case Step::Kind::kOpen:
    case Step::Kind::kClose:
      break;
  }
  return absl::OkStatus();
}

absl::Status RecordProgram::RunStep(const Step& step, const Part& part, const RecordInputs& inputs,
                                    ValueContext* context, ProgramBuffers* buffers, bool* null) {
  context->out->append(step.before);
  RETURN_IF_ERROR(AppendLeaf(step.leaf, part.converter, inputs, context, buffers, null));
  if (*null) context->out->append("null");
  return absl::OkStatus();
}

// Java leaves null members out, so the comma depends on what has been written.
absl::Status RecordProgram::RunStructStep(const Step& step, const Part& part,
                                          const RecordInputs& inputs, ValueContext* context,
                                          ProgramBuffers* buffers, bool* first) {
  std::string* out = context->out;
  if (step.kind == Step::Kind::kClose) {
    out->push_back('}');
    *first = false;
    return absl::OkStatus();
  }
  const size_t size = out->size();
  if (!*first) out->push_back(',');
  out->append(step.before);
  if (step.kind == Step::Kind::kOpen) {
    *first = true;
    return absl::OkStatus();
  }
  bool null = false;
  RETURN_IF_ERROR(AppendLeaf(step.leaf, part.converter, inputs, context, buffers, &null));
  if (null) {
    out->resize(size);
  } else {
    *first = false;
  }
  return absl::OkStatus();
}

absl::Status RecordProgram::RunPart(const Part& part, const RecordInputs& inputs,
                                    ValueContext* context, ProgramBuffers* buffers,
                                    std::string* out, bool* null) const {
  *null = !part.present;
  if (*null) return absl::OkStatus();
  out->clear();
  context->out = out;
  context->format = part.format;
  context->decimal_numeric = part.converter.decimal_numeric;
  context->nested_arrays =
      !(part.converter.kind == config::ConverterKind::kJson && part.converter.schemas_enable);
  if (part.raw) {
    Scalar value;
    RETURN_IF_ERROR(ReadLeaf(part.steps[0].leaf, inputs, context, buffers, &value));
    *null = value.is_null();
    context->out = out;
    // A Decimal's schema is bytes, too.
    if (!*null && value.kind != Scalar::Kind::kBytes)
      return BytesOnlyError(part.key      ? "key"
                            : part.header ? "header"
                                          : "value",
                            "is something else");
    out->assign(value.text.data(), value.text.size());
    return absl::OkStatus();
  }
  bool first = true, leaf_null = false;
  for (const Step& step : part.steps) {
    if (part.format == TextFormat::kStruct) {
      RETURN_IF_ERROR(RunStructStep(step, part, inputs, context, buffers, &first));
      continue;
    }
    if (step.kind != Step::Kind::kLeaf) {
      out->append(step.before);
      RETURN_IF_ERROR(RunWhole(step, inputs, context));
      continue;
    }
    // Most steps: a column that is not NULL.
    if (step.leaf.input.column != nullptr) {
      out->append(step.before);
      RETURN_IF_ERROR(inputs.AppendColumnOf(step.leaf.input, context, &leaf_null));
      if (leaf_null) RETURN_IF_ERROR(RunNull(step.leaf, part, context, &leaf_null));
      continue;
    }
    RETURN_IF_ERROR(RunStep(step, part, inputs, context, buffers, &leaf_null));
  }
  out->append(part.after);
  // StringConverter writes null for null; JsonConverter the word, which stands in out.
  if (part.root && part.format == TextFormat::kStruct) *null = first;
  if (part.root && part.schemaless && leaf_null) *null = true;
  return absl::OkStatus();
}

absl::Status RecordProgram::RunHeader(const Part& part, const RecordInputs& inputs,
                                      ValueContext* context, ProgramBuffers* buffers,
                                      std::string* out, bool* null) const {
  // The one value of a header of SimpleHeaderConverter: text without quotes.
  if (part.root && part.format == TextFormat::kHeader) {
    Scalar value;
    context->format = TextFormat::kHeader;
    RETURN_IF_ERROR(ReadLeaf(part.steps[0].leaf, inputs, context, buffers, &value));
    *null = value.is_null();
    context->out = out;
    if (!*null) AppendHeaderScalar(value, part.steps[0].leaf.schema.get(), context);
    return absl::OkStatus();
  }
  return RunPart(part, inputs, context, buffers, out, null);
}

absl::Status RecordProgram::RunHeaders(const RecordInputs& inputs, ValueContext* context,
                                       ProgramBuffers* buffers, event::Record* record) const {
  buffers->headers.clear();
  for (size_t i = 0; i < headers_.size(); ++i) {
    const Part& part = headers_[i];
    event::Header header{part.name, {}};
    if (!part.present) {
      header.is_null = true;
    } else if (part.steps.empty()) {
      header.value = part.after;
    } else {
      std::string* text = BufferAt(&buffers->header_texts, i);
      text->clear();
      const absl::Status status = RunHeader(part, inputs, context, buffers, text, &header.is_null);
      if (!status.ok()) return event::HeaderError(status, part.name);
      header.value = *text;
    }
    buffers->headers.push_back(header);
  }
  record->headers = buffers->headers;
  return absl::OkStatus();
}

absl::Status RecordProgram::Run(const RecordInputs& inputs, ValueContext* context,
                                ProgramBuffers* buffers, event::Record* record) const {
  record->topic = topic_;
  bool null = false;
  RETURN_IF_ERROR(RunPart(key_, inputs, context, buffers, &buffers->key, &null));
  if (!null) record->key = buffers->key;
  RETURN_IF_ERROR(RunPart(value_, inputs, context, buffers, &buffers->value, &null));
  if (!null) record->value = buffers->value;
  RETURN_IF_ERROR(RunHeaders(inputs, context, buffers, record));
  Scalar number;
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

QuestionProgram QuestionProgram::Compile(const event::Node& question, const InputPlans& inputs) {
  QuestionProgram program;
  size_t buffers = 0;
  program.leaf_ = CompileLeaf(question, inputs, &buffers);
  return program;
}

absl::Status QuestionProgram::Run(const RecordInputs& inputs, ValueContext* context,
                                  ProgramBuffers* buffers, event::Answer* answer) const {
  Scalar value;
  RETURN_IF_ERROR(ReadLeaf(leaf_, inputs, context, buffers, &value));
  answer->null = value.is_null();
  answer->text.clear();
  switch (value.kind) {
    case Scalar::Kind::kNull:
      break;
    case Scalar::Kind::kBoolean:
      answer->text = value.integer != 0 ? "true" : "false";
      break;
    case Scalar::Kind::kInteger:
      absl::StrAppend(&answer->text, value.integer);
      break;
    case Scalar::Kind::kReal:
      absl::StrAppend(&answer->text, value.real);
      break;
    default:
      answer->text.assign(value.text.data(), value.text.size());
  }
  return absl::OkStatus();
}

}  // namespace walduct::encode
