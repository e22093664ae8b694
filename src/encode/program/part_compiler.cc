#include "encode/program/part_compiler.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "encode/formats/number_bytes.h"
#include "encode/formats/scalar_text.h"
#include "encode/formats/schema_json.h"
#include "encode/json_schema/json_schema.h"
#include "encode/program/cloud_event_part.h"
#include "encode/program/cloud_events/cloud_event.h"
#include "encode/program/untouched_row.h"
#include "encode/table/bytes_only_error.h"

namespace walduct::encode {
namespace {

using event::ConnectSchema;
using event::ConnectType;
using event::Leaf;
using event::Node;

bool IsBytes(const Node& node) {
  return !node.is_struct() && node.schema != nullptr && node.schema->type == ConnectType::kBytes;
}

// ByteArrayConverter checks the schema of a null, too.
bool TakesAsBytes(const Node& node) {
  return IsBytes(node) || (node.kind == Node::Kind::kNull && node.schema == nullptr);
}

bool IsConstant(const Node& node) {
  return node.kind == Node::Kind::kLeaf && node.leaf.kind == Leaf::Kind::kConstant;
}

absl::string_view RoleName(PartProgram::Role role) {
  return role == PartProgram::Role::kKey     ? "key"
         : role == PartProgram::Role::kValue ? "value"
                                             : "header";
}

}  // namespace

Step& PartCompiler::AddStep(Step::Kind kind) {
  Step step;
  step.kind = kind;
  if (of_transaction_ == nullptr) {
    step.constant = static_cast<uint32_t>(text_.size());
    part_.constants_.append(text_);
  } else {
    of_transaction_->End(text_);
    step.of_transaction = std::move(of_transaction_);
    part_.has_transaction_text_ = true;
  }
  text_.clear();
  part_.steps_.push_back(std::move(step));
  return part_.steps_.back();
}

void PartCompiler::AddTransactionValue(const TransactionText::Value& value) {
  if (of_transaction_ == nullptr) of_transaction_ = std::make_unique<TransactionText>();
  of_transaction_->Add(text_, value);
  text_.clear();
}

void PartCompiler::AddMember(const Node& node, Step::Kind kind, MemberStep member) {
  AddStep(kind).leaf = static_cast<uint32_t>(part_.members_.size());
  member.leaf = CompileLeaf(node, table_, buffers_);
  part_.members_.push_back(std::move(member));
}

void PartCompiler::Finish() {
  AddStep(Step::Kind::kText);
  const bool constant =
      part_.steps_.size() == 1 && part_.head_.empty() && !part_.has_transaction_text_;
  part_.form_ = constant ? PartProgram::Form::kConstant : PartProgram::Form::kSteps;
  part_.steps_.shrink_to_fit();
}

void PartCompiler::AddLoneLeaf(const Node& node, PartProgram::Form form) {
  part_.form_ = form;
  part_.members_.push_back({CompileLeaf(node, table_, buffers_), "", false, false});
}

absl::Status PartCompiler::SetSchemaId(const Node& node) {
  if (node.schema == nullptr) return NeedsSchema("ExtJsonConverter");
  OutBuffer schema;
  AppendSchemaJson(*node.schema,
                   {.out = &schema, .decimal_numeric = part_.converter_.decimal_numeric});
  // Until the id is known: what has a head is not constant.
  return AskForSchema(node.schema->name, std::string(schema.view()), "{");
}

absl::Status PartCompiler::SetFrame(const Node& node) {
  if (node.schema == nullptr) return NeedsSchema("JsonSchemaConverter");
  JsonSchema schema =
      MakeJsonSchema(*node.schema, {.additional_properties = part_.converter_.additional_properties,
                                    .decimal_numeric = part_.converter_.decimal_numeric});
  return AskForSchema(schema.title, std::move(schema.text), std::string(1 + kIdSize, '\0'));
}

absl::Status PartCompiler::AskForSchema(absl::string_view name, std::string schema,
                                        std::string head) {
  ASSIGN_OR_RETURN(std::string subject, SubjectOf({.topic = topic_,
                                                   .is_key = part_.role_ == PartProgram::Role::kKey,
                                                   .strategy = part_.converter_.subject,
                                                   .record_name = name}));
  part_.schema_id_ = std::make_unique<SchemaId>(ids_, std::move(subject), std::move(schema));
  part_.own_head_ = std::make_unique<std::string>(std::move(head));
  part_.head_ = *part_.own_head_;
  return absl::OkStatus();
}

absl::Status PartCompiler::NeedsSchema(absl::string_view converter) const {
  return Error(absl::StatusCode::kInvalidArgument, "value_without_schema",
               absl::StrCat("the ", RoleName(part_.role_), " has no schema, and ", converter,
                            " cannot write it"),
               "use JsonConverter, or leave out the transform that takes the schema away");
}

// By Java's classes: neither a date nor a number of another size belongs to the class.
absl::Status PartCompiler::CompileNumber(const Node& node) {
  const event::ConnectType type = part_.converter_.number;
  const bool fits = node.schema != nullptr && node.schema->type == type &&
                    !absl::StartsWith(node.schema->name, "org.apache.kafka.connect.data.");
  if (fits) {
    AddLoneLeaf(node, PartProgram::Form::kNumber);
    return absl::OkStatus();
  }
  return Error(absl::StatusCode::kInvalidArgument, "number_converter",
               absl::StrCat(RoleName(part_.role_), ".converter writes values of type ",
                            NumberName(type), " only, and the ", RoleName(part_.role_),
                            node.is_struct() ? " is a structure" : " is something else"),
               absl::StrCat("use org.apache.kafka.connect.json.JsonConverter for ",
                            RoleName(part_.role_), ".converter"));
}

absl::Status PartCompiler::SetHead(const Node& node) {
  if (part_.converter_.schema_id) return SetSchemaId(node);
  if (part_.converter_.json_schema) return SetFrame(node);
  const ConnectSchema* schema = node.schema.get();
  const bool key = part_.role_ == PartProgram::Role::kKey;
  if (table_ != nullptr && part_.role_ != PartProgram::Role::kHeader &&
      schema == (key ? table_->key_schema : table_->envelope_schema).get()) {
    part_.head_ = key ? table_->key_head : table_->value_head;
    return absl::OkStatus();
  }
  part_.own_head_ = std::make_unique<std::string>(
      schema == nullptr ? "{\"schema\":null,\"payload\":" : PayloadHead(*schema, part_.converter_));
  part_.head_ = *part_.own_head_;
  return absl::OkStatus();
}

absl::Status PartCompiler::CompileAvro(const Node& node) {
  if (node.schema == nullptr) return NeedsSchema("AvroConverter");
  ASSIGN_OR_RETURN(part_.avro_, AvroPart::Compile(node, Parts()));
  part_.has_transaction_text_ = part_.avro_->has_transaction_text();
  part_.form_ = PartProgram::Form::kAvro;
  return absl::OkStatus();
}

absl::Status PartCompiler::CompileProtobuf(const Node& node) {
  if (node.schema == nullptr) return NeedsSchema("ProtobufConverter");
  ASSIGN_OR_RETURN(part_.protobuf_, ProtobufPart::Compile(node, Parts()));
  part_.has_transaction_text_ = part_.protobuf_->has_transaction_text();
  part_.form_ = PartProgram::Form::kProtobuf;
  return absl::OkStatus();
}

absl::Status PartCompiler::CompileCloudEvent(const Node& value) {
  static const auto* const none = new std::vector<Node>();
  const std::vector<Node>& headers = headers_ == nullptr ? *none : *headers_;
  if (part_.converter_.kind == ConverterKind::kAvro) {
    ASSIGN_OR_RETURN(part_.event_, CloudEventPart::Compile(value, headers, Parts()));
    if (part_.event_ == nullptr) return absl::OkStatus();
    part_.has_transaction_text_ = part_.event_->has_transaction_text();
    part_.form_ = PartProgram::Form::kCloudEvent;
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const std::optional<CloudEvent> event,
                   MakeCloudEvent(value, headers, *part_.converter_.cloud_events, {}));
  if (!event) return absl::OkStatus();
  const char* separator = "{";
  for (const Node& attribute : event->event.members) {
    AddText(absl::StrCat(separator, QuotedName(attribute.name, part_.format_), ":"));
    RETURN_IF_ERROR(AddNode(attribute));
    separator = ",";
  }
  AddText(",\"data\":");
  AddText(PayloadHead(*event->data.schema, part_.converter_));
  RETURN_IF_ERROR(AddNode(event->data));
  AddText(part_.converter_.schemas_enable ? "}}" : "}");
  Finish();
  return absl::OkStatus();
}

AvroPart::Parts PartCompiler::Parts() const {
  return {.table = table_,
          .buffers = buffers_,
          .ids = ids_,
          .topic = topic_,
          .is_key = part_.role_ == PartProgram::Role::kKey,
          .converter = part_.converter_};
}

absl::Status PartCompiler::Compile(const std::optional<Node>& node, PartProgram::Role role,
                                   const ConverterOptions& converter) {
  part_.converter_ = converter;
  part_.role_ = role;
  if (!node || (node->kind == Node::Kind::kNull && node->schema == nullptr))
    return absl::OkStatus();
  part_.schemaless_ = node->schema == nullptr;
  const bool null = node->kind == Node::Kind::kNull;
  const bool raw = converter.raw_bytes && IsBytes(*node) && !IsDecimal(*node->schema);
  if (raw || converter.kind == ConverterKind::kByteArray) {
    if (!raw && !TakesAsBytes(*node))
      return BytesOnlyError(RoleName(role),
                            node->is_struct() ? "of a change is a structure" : "is something else");
    if (!null) AddLoneLeaf(*node, PartProgram::Form::kBytes);
    return absl::OkStatus();
  }
  if (converter.cloud_events != nullptr) return CompileCloudEvent(*node);
  if (converter.kind == ConverterKind::kAvro) return null ? absl::OkStatus() : CompileAvro(*node);
  if (converter.kind == ConverterKind::kProtobuf)
    return null ? absl::OkStatus() : CompileProtobuf(*node);
  if (converter.kind == ConverterKind::kNumber)
    return null ? absl::OkStatus() : CompileNumber(*node);
  if (converter.kind == ConverterKind::kString) {
    part_.format_ = TextFormat::kStruct;
    if (null) return absl::OkStatus();
    if (!node->is_struct()) {
      AddLoneLeaf(*node, PartProgram::Form::kLeaf);
      return absl::OkStatus();
    }
    AddJavaStruct(*node);
    Finish();
    return absl::OkStatus();
  }
  const bool wrapped = converter.schemas_enable || converter.schema_id;
  if (wrapped || converter.json_schema) RETURN_IF_ERROR(SetHead(*node));
  const bool constant = IsConstant(*node) && !node->leaf.constant.is_null();
  if (node->kind == Node::Kind::kLeaf && !constant) {
    AddLoneLeaf(*node, PartProgram::Form::kLeaf);
    if (wrapped) part_.tail_ = "}";
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(AddNode(*node));
  if (wrapped) AddText("}");
  Finish();
  return absl::OkStatus();
}

void PartCompiler::CompileSimple(const Node& header) {
  part_.role_ = PartProgram::Role::kHeader;
  part_.format_ = TextFormat::kHeader;
  // SimpleHeaderConverter ignores the schema.
  part_.converter_.schemas_enable = false;
  if (header.kind == Node::Kind::kNull) return;
  if (header.is_struct()) {
    // A header's text says null where a value is missing, so nothing can fail.
    AddNode(header).IgnoreError();
    return Finish();
  }
  if (!IsConstant(header)) return AddLoneLeaf(header, PartProgram::Form::kHeaderText);
  if (header.leaf.constant.is_null()) return;
  ValueContext context;
  Scratch scratch;
  OutBuffer text;
  context.out = &text;
  context.scratch = &scratch;
  AppendHeaderScalar(header.leaf.constant_value(), header.schema.get(), &context);
  AddText(text);
  Finish();
}

absl::Status PartCompiler::AddNull(const Node& node) {
  const ConnectSchema* schema = node.schema.get();
  const bool json = part_.format_ == TextFormat::kJson;
  const bool with_default = schema != nullptr && schema->default_value &&
                            (!json || part_.converter_.replace_null_with_default);
  if (with_default) {
    AddText(ScalarText(schema->default_value->value(), schema));
    return absl::OkStatus();
  }
  if (json && schema != nullptr && !schema->optional)
    return RequiredIsNull(node.name.empty() ? "the record" : absl::StrCat("the field ", node.name));
  AddText("null");
  return absl::OkStatus();
}

std::string PartCompiler::ConstantText(const Node& leaf) const {
  return ScalarText(leaf.leaf.constant_value(), leaf.schema.get());
}

std::string PartCompiler::ScalarText(const event::Scalar& value,
                                     const ConnectSchema* schema) const {
  OutBuffer text;
  Scratch scratch;
  ValueContext context;
  context.out = &text;
  context.format = part_.format_;
  context.decimal_numeric = part_.converter_.decimal_numeric;
  context.map_entries = part_.converter_.json_schema;
  context.scratch = &scratch;
  AppendScalar(value, schema, &context);
  return std::string(text.view());
}

absl::Status PartCompiler::AddNode(const Node& node) {
  if (node.kind == Node::Kind::kNull) return AddNull(node);
  if (node.is_struct()) return AddStruct(node);
  if (IsConstant(node) && !node.leaf.constant.is_null()) {
    AddText(ConstantText(node));
    return absl::OkStatus();
  }
  if (AddField(node)) return absl::OkStatus();
  const bool column = IsInput(node) && node.leaf.input < kFieldInputs;
  AddMember(node, column ? Step::Kind::kColumn : Step::Kind::kLeaf, {});
  return absl::OkStatus();
}

absl::Status PartCompiler::AddStruct(const Node& node) {
  const size_t columns = AddColumns(node);
  const char* separator = columns > 0 ? "," : "{";
  for (size_t i = columns; i < node.members.size(); ++i) {
    const Node& member = node.members[i];
    AddText(absl::StrCat(separator, QuotedName(member.name, part_.format_), ":"));
    RETURN_IF_ERROR(AddNode(member));
    separator = ",";
  }
  AddText(node.members.empty() ? "{}" : "}");
  return absl::OkStatus();
}

// The texts for NULL that rows have ready are those of the converter of keys or values.
bool PartCompiler::HasReadyTexts(const InputPlan& first) const {
  if (part_.role_ == PartProgram::Role::kHeader)
    return IsOfKey(first) && part_.format_ == TextFormat::kHeader;
  return IsOfKey(first) == (part_.role_ == PartProgram::Role::kKey);
}

size_t PartCompiler::AddColumns(const Node& node) {
  InputPlan first;
  const size_t count = CountUntouched(node, table_, &first);
  if (count == 0 || !HasReadyTexts(first)) return 0;
  Step& step = AddStep(Step::Kind::kColumns);
  step.row = first.row;
  step.row_plan = first.row_plan;
  step.count = static_cast<uint32_t>(count);
  return count;
}

bool PartCompiler::AddField(const Node& node) {
  if (part_.format_ != TextFormat::kJson || !IsInput(node) || node.leaf.input < kFieldInputs)
    return false;
  const InputField field = FindInput(node.leaf.input, table_).field;
  if (field == InputField::kSequence) {
    AddText("\"[");
    AddTransactionValue({.input = field, .sequence = true});
    AddText(",");
    AddStep(Step::Kind::kSequence);
    AddText("]\"");
    return true;
  }
  const ConnectSchema* schema = node.schema.get();
  const bool with_default =
      schema != nullptr && schema->default_value &&
      (node.leaf.null_is_default || part_.converter_.replace_null_with_default);
  const bool required = schema != nullptr && !schema->optional && !with_default;
  const std::string null_text =
      with_default ? ScalarText(schema->default_value->value(), schema) : "null";
  if (MayBeNull(field) && (required || (with_default && !IsOfTransaction(field)))) return false;
  if (IsOfTransaction(field)) {
    AddTransactionValue({.input = field, .null_text = null_text});
  } else {
    AddStep(Step::Kind::kField).field = field;
  }
  return true;
}

// A comma, unless nothing stands before; empty where a step writes it.
std::string PartCompiler::Separator(Written written) {
  if (written == Written::kUnknown) AddStep(Step::Kind::kComma);
  return written == Written::kSomething ? "," : "";
}

void PartCompiler::AddJavaStruct(const Node& node) {
  if (AddJavaRow(node)) return;
  // A map has no name of its own.
  AddText(node.schema == nullptr ? "{" : "Struct{");
  Written written = Written::kNothing;
  for (const Node& member : node.members) AddJavaMember(member, &written);
  AddText("}");
}

bool PartCompiler::AddJavaRow(const Node& node) {
  InputPlan first;
  if (node.schema == nullptr || !IsUntouchedRow(node, table_, &first) || !HasReadyTexts(first))
    return false;
  Step& step = AddStep(Step::Kind::kRow);
  step.row = first.row;
  step.row_plan = first.row_plan;
  return true;
}

void PartCompiler::AddJavaMember(const Node& node, Written* written) {
  const std::string label = absl::StrCat(node.name, "=");
  if (node.kind == Node::Kind::kNull) return;
  if (node.is_struct() || (IsConstant(node) && !node.leaf.constant.is_null())) {
    const std::string separator = Separator(*written);
    AddText(absl::StrCat(separator, label));
    if (node.is_struct()) {
      AddJavaStruct(node);
    } else {
      AddText(ConstantText(node));
    }
    *written = Written::kSomething;
    return;
  }
  if (AddJavaField(node, label, *written)) {
    *written = Written::kSomething;
    return;
  }
  MemberStep member;
  member.first = *written == Written::kNothing;
  member.comma = *written == Written::kUnknown;
  member.label = absl::StrCat(*written == Written::kSomething ? "," : "", label);
  AddMember(node, Step::Kind::kMember, std::move(member));
  if (*written == Written::kNothing) *written = Written::kUnknown;
}

bool PartCompiler::AddJavaField(const Node& node, const std::string& label, Written written) {
  if (!IsInput(node) || node.leaf.input < kFieldInputs) return false;
  const InputField field = FindInput(node.leaf.input, table_).field;
  const bool nullable = MayBeNull(field);
  if (nullable &&
      (written != Written::kSomething || !IsOfTransaction(field) || node.leaf.null_is_default))
    return false;
  const std::string separated = absl::StrCat(Separator(written), label);
  if (nullable) {
    AddTransactionValue({.input = field, .left_out = true, .label = separated});
    return true;
  }
  AddText(separated);
  if (field == InputField::kSequence) {
    AddText("[");
    AddTransactionValue({.input = field, .sequence = true});
    AddText(",");
    AddStep(Step::Kind::kSequence);
    AddText("]");
  } else if (IsOfTransaction(field)) {
    AddTransactionValue({.input = field});
  } else {
    AddStep(Step::Kind::kField).field = field;
  }
  return true;
}

}  // namespace walduct::encode
