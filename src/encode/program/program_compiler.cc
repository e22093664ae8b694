#include "encode/program/program_compiler.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "encode/formats/scalar_text.h"
#include "encode/table/bytes_only_error.h"
#include "event/header_error.h"

namespace walduct::encode {
namespace {

using config::ConverterKind;
using event::Leaf;
using event::Node;

bool IsBytes(const Node& node) {
  return !node.is_struct() && node.schema != nullptr && node.schema->type == ConnectType::kBytes;
}

// ByteArrayConverter looks at the schema, of a null too.
bool TakesAsBytes(const Node& node) {
  return IsBytes(node) || (node.kind == Node::Kind::kNull && node.schema == nullptr);
}

absl::Status RequiredIsNull(const std::string& name) {
  return Error(absl::StatusCode::kInvalidArgument, "required_field_null",
               absl::StrCat("the ", name.empty() ? "record" : "field " + name,
                            " is null, but its schema requires a value and has no default"));
}

bool IsInput(const Node& node) {
  return node.kind == Node::Kind::kLeaf && node.leaf.kind == Leaf::Kind::kInput;
}

bool IsColumn(const Node& node, uint32_t input, const ConnectField& original) {
  return IsInput(node) && node.leaf.input == input && !node.leaf.null_is_default &&
         node.schema == original.schema && node.name == original.name;
}

// Of the rows that this part of a record has without transforms; null: of none, or of a row from
// elsewhere.
const ConnectSchema* RowSchema(const TablePlan& table, InputRow row, bool key) {
  if (key)
    return row == InputRow::kKeyBefore || row == InputRow::kKeyAfter ? table.key_schema.get()
                                                                     : nullptr;
  const absl::string_view name = row == InputRow::kBefore  ? "before"
                                 : row == InputRow::kAfter ? "after"
                                                           : "";
  const ConnectField* field = table.envelope_schema->Find(name);
  return field == nullptr ? nullptr : field->schema.get();
}

// But for the name, which stands in the struct around it.
bool IsSame(const Node& a, const Node& b) {
  if (a.kind != b.kind || a.schema != b.schema || a.members.size() != b.members.size())
    return false;
  for (size_t i = 0; i < a.members.size(); ++i) {
    if (a.members[i].name != b.members[i].name || !IsSame(a.members[i], b.members[i])) return false;
  }
  if (a.kind != Node::Kind::kLeaf) return true;
  if (a.leaf.kind != b.leaf.kind || a.leaf.null_is_default != b.leaf.null_is_default) return false;
  if (a.leaf.kind == Leaf::Kind::kInput) return a.leaf.input == b.leaf.input;
  return a.leaf.kind == Leaf::Kind::kConstant && a.leaf.constant.kind == b.leaf.constant.kind &&
         a.leaf.constant_text == b.leaf.constant_text &&
         a.leaf.constant.integer == b.leaf.constant.integer;
}

}  // namespace

LeafProgram CompileLeaf(const Node& node, const InputPlans& inputs, size_t* buffers) {
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
      leaf.input = inputs.Find(node.leaf.input);
      break;
    case Leaf::Kind::kFunction:
      leaf.function = node.leaf.function;
      leaf.by = node.leaf.by;
      for (const Node& operand : node.leaf.operands)
        leaf.operands.push_back(CompileLeaf(operand, inputs, buffers));
      break;
  }
  return leaf;
}

absl::StatusOr<std::unique_ptr<const RecordProgram>> RecordProgram::Compile(
    const event::RecordTemplate& record, const InputPlans& inputs, const Converters& converters) {
  auto program = std::make_unique<RecordProgram>();
  RETURN_IF_ERROR(ProgramCompiler(inputs, program.get()).Compile(record, converters));
  return program;
}

absl::Status ProgramCompiler::Compile(const event::RecordTemplate& record,
                                      const RecordProgram::Converters& converters) {
  program_->topic_ = record.topic;
  RETURN_IF_ERROR(CompileBody(record.key, converters.key, "key", &program_->key_));
  RETURN_IF_ERROR(CompileBody(record.value, converters.value, "value", &program_->value_));
  for (const Node& header : record.headers) {
    if (!converters.header) {
      CompileSimpleHeader(header);
      continue;
    }
    const absl::Status status = CompileHeader(header, *converters.header);
    if (!status.ok()) return event::HeaderError(status, header.name);
  }
  if (record.partition) program_->partition_ = CompileLeaf(*record.partition, inputs_, &buffers_);
  if (record.timestamp) program_->timestamp_ = CompileLeaf(*record.timestamp, inputs_, &buffers_);
  return absl::OkStatus();
}

absl::Status ProgramCompiler::CompileBody(const std::optional<Node>& node,
                                          const config::ConverterOptions& converter,
                                          absl::string_view role, Part* part) {
  part->converter = converter;
  part->key = role == "key";
  part->header = role == "header";
  if (!node || (node->kind == Node::Kind::kNull && node->schema == nullptr))
    return absl::OkStatus();
  part->present = true;
  part->root = node->kind == Node::Kind::kLeaf;
  part->schemaless = node->schema == nullptr;
  std::string text;
  if (converter.raw_bytes && IsBytes(*node) && !IsDecimal(*node->schema))
    return CompileBytes(*node, part);
  switch (converter.kind) {
    case ConverterKind::kByteArray:
      if (!TakesAsBytes(*node)) return BytesOnlyError(role, "is something else");
      return CompileBytes(*node, part);
    case ConverterKind::kString:
      part->format = TextFormat::kStruct;
      if (node->kind == Node::Kind::kNull) part->present = false;
      if (node->is_struct()) AddStruct(*node, "", part);
      if (part->root) AddLeaf(*node, "", part);
      return absl::OkStatus();
    case ConverterKind::kJson:
      break;
  }
  const bool schemas = converter.schemas_enable;
  if (schemas)
    text = node->schema == nullptr ? "{\"schema\":null,\"payload\":"
                                   : PayloadHead(*node->schema, converter);
  RETURN_IF_ERROR(AddNode(*node, &text, part));
  part->after = text + (schemas ? "}" : "");
  return absl::OkStatus();
}

// As they are: a null is no bytes at all.
absl::Status ProgramCompiler::CompileBytes(const Node& node, Part* part) {
  part->present = node.kind != Node::Kind::kNull;
  part->raw = part->present;
  if (part->present) AddLeaf(node, "", part);
  return absl::OkStatus();
}

absl::Status ProgramCompiler::CompileHeader(const Node& header,
                                            const config::ConverterOptions& converter) {
  Part part;
  RETURN_IF_ERROR(CompileBody(header, converter, "header", &part));
  part.name = header.name;
  program_->headers_.push_back(std::move(part));
  return absl::OkStatus();
}

void ProgramCompiler::CompileSimpleHeader(const Node& header) {
  Part part;
  part.name = header.name;
  part.format = TextFormat::kHeader;
  part.present = header.kind != Node::Kind::kNull;
  if (header.is_struct()) {
    std::string text;
    // A header's text says null where a value is missing, so nothing can fail.
    AddNode(header, &text, &part).IgnoreError();
    part.after = text;
  } else if (part.present) {
    part.root = true;
    const bool constant = header.leaf.kind == Leaf::Kind::kConstant;
    if (constant && !header.leaf.constant.is_null()) {
      ValueContext context;
      Scratch scratch;
      context.out = &part.after;
      context.scratch = &scratch;
      AppendHeaderScalar(header.leaf.constant_value(), header.schema.get(), &context);
    } else if (constant) {
      part.present = false;
    } else {
      AddLeaf(header, "", &part);
    }
  }
  program_->headers_.push_back(std::move(part));
}

absl::Status ProgramCompiler::AddNull(const Node& node, std::string* text, Part* part) {
  const ConnectSchema* schema = node.schema.get();
  const bool json = part->format == TextFormat::kJson;
  const bool with_default = schema != nullptr && schema->default_value &&
                            (!json || part->converter.replace_null_with_default);
  if (with_default) {
    *text += schema->default_value->json;
    return absl::OkStatus();
  }
  if (json && schema != nullptr && !schema->optional) return RequiredIsNull(node.name);
  *text += "null";
  return absl::OkStatus();
}

absl::Status ProgramCompiler::AddNode(const Node& node, std::string* text, Part* part) {
  if (node.kind == Node::Kind::kNull) return AddNull(node, text, part);
  if (node.is_struct()) {
    if (AddSource(node, text, part)) return absl::OkStatus();
    const size_t done = AddColumns(node, text, part);
    const char* separator = done > 0 ? "," : "{";
    for (size_t i = done; i < node.members.size(); ++i) {
      const Node& member = node.members[i];
      absl::StrAppend(text, separator, QuotedName(member.name, part->format), ":");
      RETURN_IF_ERROR(AddNode(member, text, part));
      separator = ",";
    }
    *text += node.members.empty() ? "{}" : "}";
    return absl::OkStatus();
  }
  if (AddClock(node, text, part)) return absl::OkStatus();
  const bool constant = node.leaf.kind == Leaf::Kind::kConstant && !node.leaf.constant.is_null();
  if (!constant) {
    AddLeaf(node, std::exchange(*text, ""), part);
    return absl::OkStatus();
  }
  Scratch scratch;
  ValueContext context;
  context.out = text;
  context.format = part->format;
  context.decimal_numeric = part->converter.decimal_numeric;
  context.scratch = &scratch;
  AppendScalar(node.leaf.constant_value(), node.schema.get(), &context);
  return absl::OkStatus();
}

size_t ProgramCompiler::AddColumns(const Node& node, std::string* text, Part* part) {
  // The rows' texts for NULL are those of the converter of keys or values.
  if (part->format != TextFormat::kJson || part->header || inputs_.table == nullptr ||
      node.members.empty() || !IsInput(node.members[0]))
    return 0;
  const auto row = static_cast<InputRow>(node.members[0].leaf.input >> 24);
  const ConnectSchema* original = RowSchema(*inputs_.table, row, part->key);
  size_t count = 0;
  while (original != nullptr && count < node.members.size() && count < original->fields.size() &&
         IsColumn(node.members[count], InputNumber(row, count), original->fields[count]))
    ++count;
  // The fields behind the columns of a key are constants of its own.
  if (count == 0 || count > inputs_.Find(node.members[0].leaf.input).row_plan->fields.size())
    return 0;
  AddLeaf(node.members[0], std::exchange(*text, ""), part);
  part->steps.back().kind = Step::Kind::kColumns;
  part->steps.back().columns = count;
  return count;
}

bool ProgramCompiler::AddSource(const Node& node, std::string* text, Part* part) {
  if (part->format != TextFormat::kJson || inputs_.source == nullptr || part->key ||
      !IsSame(node, *inputs_.source))
    return false;
  Step step;
  step.kind = Step::Kind::kSource;
  step.before = std::exchange(*text, "");
  part->steps.push_back(std::move(step));
  return true;
}

bool ProgramCompiler::AddClock(const Node& node, std::string* text, Part* part) {
  const bool clock = part->format == TextFormat::kJson && IsInput(node) &&
                     (node.leaf.input == InputNumber(InputField::kClockMillis) ||
                      node.leaf.input == InputNumber(InputField::kClockMicros) ||
                      node.leaf.input == InputNumber(InputField::kClockNanos));
  if (!clock) return false;
  AddLeaf(node, std::exchange(*text, ""), part);
  part->steps.back().kind = Step::Kind::kClock;
  return true;
}

// StringConverter: Java's Struct.toString().
void ProgramCompiler::AddStruct(const Node& node, const std::string& before, Part* part) {
  Step open;
  open.kind = Step::Kind::kOpen;
  // A map has no name of its own.
  open.before = absl::StrCat(before, node.schema == nullptr ? "{" : "Struct{");
  part->steps.push_back(std::move(open));
  for (const Node& member : node.members) {
    const std::string name = absl::StrCat(member.name, "=");
    if (member.is_struct()) {
      AddStruct(member, name, part);
    } else if (member.kind == Node::Kind::kLeaf) {
      AddLeaf(member, name, part);
    }
  }
  Step close;
  close.kind = Step::Kind::kClose;
  part->steps.push_back(std::move(close));
}

void ProgramCompiler::AddLeaf(const Node& node, std::string before, Part* part) {
  Step step;
  step.before = std::move(before);
  step.leaf = CompileLeaf(node, inputs_, &buffers_);
  part->steps.push_back(std::move(step));
}

}  // namespace walduct::encode
