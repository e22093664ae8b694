// Debezium's ExtractSchemaToNewRecord: the columns of the table, as column.propagate.source.type
// has put them into the schema, become a part of the value.
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "event/tree.h"
#include "transform/options/transform_class.h"
#include "transform/template/template_edit.h"

namespace walduct::transform {
namespace {

using event::ConnectSchema;
using event::ConnectSchemaPtr;
using event::ConnectType;
using event::Node;
using event::RecordTemplate;
using event::Scalar;
using event::TreeBuilder;
using enum OptionType;

constexpr char kParameters[] = "__debezium.source.column.";

ConnectSchemaPtr ColumnSchema() {
  ConnectSchema schema =
      event::Schema(ConnectType::kStruct, "io.debezium.connector.source.schema.Column");
  schema.fields = {{"name", PlainSchema(ConnectType::kString, false)},
                   {"typeName", PlainSchema(ConnectType::kString, false)},
                   {"length", PlainSchema(ConnectType::kInt32, true)},
                   {"scale", PlainSchema(ConnectType::kInt32, true)},
                   {"comment", PlainSchema(ConnectType::kString, true)}};
  return event::Shared(std::move(schema));
}

// Null when the schema has no such parameter.
const std::string* Parameter(const ConnectSchema& schema, absl::string_view name) {
  for (const auto& [key, value] : schema.parameters) {
    if (key == absl::StrCat(kParameters, name)) return &value;
  }
  return nullptr;
}

void AddText(absl::string_view name, const std::string* text, TreeBuilder* out) {
  out->Name(name);
  out->Add(text == nullptr ? Scalar::Null() : Scalar::Text(*text));
}

absl::Status AddNumber(absl::string_view name, const std::string* text, TreeBuilder* out) {
  int32_t number = 0;
  if (text != nullptr && !absl::SimpleAtoi(*text, &number))
    return RecordError(absl::StrCat("the parameter ", name, " of a column is not a number"));
  out->Name(name);
  out->Add(text == nullptr ? Scalar::Null() : Scalar::Integer(number));
  return absl::OkStatus();
}

absl::Status AddColumn(const event::ConnectField& field, TreeBuilder* out) {
  const std::string* name = Parameter(*field.schema, "name");
  const std::string* type = Parameter(*field.schema, "type");
  if (name == nullptr || type == nullptr)
    return RecordError(absl::StrCat("the schema of column ", field.name,
                                    " does not have the type of its source; set "
                                    "column.propagate.source.type=.*"));
  out->Begin(Scalar::Kind::kStruct);
  AddText("name", name, out);
  AddText("typeName", type, out);
  RETURN_IF_ERROR(AddNumber("length", Parameter(*field.schema, "length"), out));
  RETURN_IF_ERROR(AddNumber("scale", Parameter(*field.schema, "scale"), out));
  AddText("comment", Parameter(*field.schema, "comment"), out);
  out->End();
  return absl::OkStatus();
}

absl::StatusOr<Node> Columns(const ConnectSchema& row) {
  std::string text;
  TreeBuilder columns(&text);
  columns.Begin(Scalar::Kind::kArray);
  for (const event::ConnectField& field : row.fields) RETURN_IF_ERROR(AddColumn(field, &columns));
  columns.End();
  ConnectSchema schema = event::Schema(ConnectType::kArray);
  schema.items = ColumnSchema();
  return event::ConstantNode(event::Shared(std::move(schema)), columns.value(), "columns");
}

absl::StatusOr<Node> SourceSchema(const Node& source_table, const ConnectSchema& row) {
  Node table;
  table.kind = Node::Kind::kStruct;
  table.name = "table";
  ASSIGN_OR_RETURN(Node columns, Columns(row));
  table.members.push_back(std::move(columns));
  RETURN_IF_ERROR(SetStructSchema(
      event::Schema(ConnectType::kStruct, "io.debezium.connector.source.schema.Table"), &table));
  Node id = Taken(source_table, true);
  id.name = "id";
  id.schema = PlainSchema(ConnectType::kString, false);
  Node block;
  block.kind = Node::Kind::kStruct;
  block.name = "sourceSchema";
  block.members = {std::move(id), std::move(table)};
  RETURN_IF_ERROR(SetStructSchema(
      event::Schema(ConnectType::kStruct, "io.debezium.connector.source.Schema"), &block));
  return block;
}

constexpr OptionRow kOptions[] = {{.name = "schema.name.adjustment.mode",
                                   .type = kEnum,
                                   .default_value = "none",
                                   .allowed = "none, avro, avro_unicode",
                                   .doc = "No effect: the added names are always valid."}};

class ExtractSchemaToNewRecord final : public Stage {
 public:
  absl::StatusOr<Verdict> Apply(RecordTemplate* record, Questions*) const override {
    if (!IsEnvelope(record->value)) return Verdict::kKeep;
    Node& value = *record->value;
    for (const absl::string_view name : {"after", "before"}) {
      if (value.Find(name) == nullptr) return RecordError(absl::StrCat("Unknown field: ", name));
    }
    const Node& after = *value.Find("after");
    if (!after.is_struct() && !value.Find("before")->is_struct()) return Verdict::kKeep;
    const Node* source = value.Find("source");
    const Node* table = source != nullptr && source->is_struct() ? source->Find("table") : nullptr;
    if (table == nullptr || after.schema == nullptr)
      return RecordError("the value has no source with the name of the table");
    ASSIGN_OR_RETURN(Node block, SourceSchema(*table, *after.schema));
    for (Node& member : value.members) member = Taken(member, true);
    value.members.push_back(std::move(block));
    RETURN_IF_ERROR(RenewStructSchema(&value));
    return Verdict::kKeep;
  }
  SharedHeaders shared_headers(const RecordTemplate&) const override {
    return SharedHeaders::kKept;
  }
};

}  // namespace

extern constinit const TransformClass kExtractSchemaToNewRecord = {
    .name = "io.debezium.transforms.ExtractSchemaToNewRecord",
    .options = kOptions,
    .doc =
        "Adds `sourceSchema` with name, type, length and scale of the columns to the envelope; "
        "needs column.propagate.source.type or datatype.propagate.source.type, and each column "
        "in it.",
    .needs_one_of = "column.propagate.source.type, datatype.propagate.source.type",
    .make = MakeStage<ExtractSchemaToNewRecord>};

}  // namespace walduct::transform
