#include "encode/program/leaf_program.h"

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "encode/formats/scalar_text.h"
#include "encode/options/converter_options.h"
#include "event/transform_error.h"

namespace walduct::encode {
namespace {

using event::Leaf;
using event::Node;
using event::Scalar;

// What takes the place of NULL: the default where a transform or the converter says so. True:
// something was appended.
bool AppendDefault(const LeafProgram& leaf, const ConverterOptions& converter,
                   ValueContext* context) {
  if (leaf.schema == nullptr || !leaf.schema->default_value) return false;
  const bool wanted = leaf.null_is_default || context->format == TextFormat::kHeader ||
                      (context->format == TextFormat::kJson && converter.replace_null_with_default);
  return wanted && AppendScalar(leaf.schema->default_value->value(), leaf.schema.get(), context);
}

}  // namespace

absl::Status RequiredIsNull(absl::string_view field) {
  return Error(absl::StatusCode::kInvalidArgument, "required_field_null",
               absl::StrCat(field, " is null, but its schema requires a value and has no default"));
}

absl::Status DoesNotFit(absl::string_view field) {
  return Error(absl::StatusCode::kInvalidArgument, "value_does_not_fit",
               absl::StrCat("field ", field, " holds a number that does not fit its schema"));
}

LeafProgram CompileLeaf(const Node& node, const TablePlan* table, size_t* buffers) {
  LeafProgram leaf;
  leaf.schema = node.schema;
  leaf.name = node.name;
  leaf.buffer = (*buffers)++;
  if (node.kind != Node::Kind::kLeaf) return leaf;  // a constant null
  leaf.kind = node.leaf.kind;
  leaf.null_is_default = node.leaf.null_is_default;
  switch (node.leaf.kind) {
    case Leaf::Kind::kConstant:
      leaf.constant = node.leaf.constant;
      leaf.constant_text = node.leaf.constant_text;
      break;
    case Leaf::Kind::kInput:
      leaf.input = FindInput(node.leaf.input, table);
      break;
    case Leaf::Kind::kFunction:
      leaf.function = node.leaf.function;
      leaf.by = node.leaf.by;
      for (const Node& operand : node.leaf.operands)
        leaf.operands.push_back(CompileLeaf(operand, table, buffers));
      break;
  }
  return leaf;
}

absl::Status FillNull(const LeafProgram& leaf, const ConverterOptions& converter,
                      ValueContext* context, bool* null) {
  *null = !AppendDefault(leaf, converter, context);
  const bool required = *null && leaf.schema != nullptr && !leaf.schema->optional;
  return required && context->format == TextFormat::kJson
             ? RequiredIsNull(absl::StrCat("field ", leaf.name))
             : absl::OkStatus();
}

absl::Status AppendLeaf(const LeafProgram& leaf, const ConverterOptions& converter,
                        const RecordInputs& inputs, ValueContext* context, ProgramBuffers* buffers,
                        bool* null) {
  *null = false;
  if (leaf.kind == Leaf::Kind::kInput) {
    RETURN_IF_ERROR(inputs.Append(leaf.input, context, null));
  } else {
    Scalar value;
    RETURN_IF_ERROR(ReadLeaf(leaf, inputs, context, buffers, &value));
    *null = value.is_null();
    if (!*null && !AppendScalar(value, leaf.schema.get(), context)) return DoesNotFit(leaf.name);
  }
  return *null ? FillNull(leaf, converter, context, null) : absl::OkStatus();
}

absl::Status ReadLeaf(const LeafProgram& leaf, const RecordInputs& inputs, ValueContext* context,
                      ProgramBuffers* buffers, Scalar* out) {
  if (leaf.kind == Leaf::Kind::kConstant) {
    *out = leaf.constant;
    out->text = leaf.constant_text;
  } else {
    std::string* buffer = ProgramBuffers::At(&buffers->texts, leaf.buffer);
    buffer->clear();
    if (leaf.kind == Leaf::Kind::kInput) {
      RETURN_IF_ERROR(inputs.Read(leaf.input, context, buffer, out));
    } else {
      std::vector<Scalar>* operands = ProgramBuffers::At(&buffers->operands, leaf.buffer);
      operands->resize(leaf.operands.size());
      for (size_t i = 0; i < leaf.operands.size(); ++i)
        RETURN_IF_ERROR(ReadLeaf(leaf.operands[i], inputs, context, buffers, &(*operands)[i]));
      const absl::Status applied = leaf.function->Apply(*operands, buffer, out);
      if (!applied.ok()) return event::TransformError(applied, leaf.by, "the record");
    }
  }
  if (out->is_null() && leaf.null_is_default && leaf.schema != nullptr &&
      leaf.schema->default_value)
    *out = leaf.schema->default_value->value();
  return absl::OkStatus();
}

QuestionProgram QuestionProgram::Compile(const Node& question, const TablePlan* table) {
  QuestionProgram program;
  size_t buffers = 0;
  program.leaf_ = CompileLeaf(question, table, &buffers);
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
