#include "encode/table/table_plan.h"

#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "encode/formats/schema_json.h"
#include "encode/options/converter_options.h"
#include "encode/options/encode_options.h"
#include "encode/schema/record_layout.h"
#include "names/name_adjustment.h"

namespace walduct::encode {
namespace {

using Notice = ColumnNotice::Kind;

// Compiles key and value of one table.
class Compiler {
 public:
  Compiler(const TableRequest& request, const EncodeOptions& options, TablePlan* plan)
      : request_(request), schema_(*request.schema), options_(options), plan_(*plan) {}

  void CompileKey();
  void CompileValue();

 private:
  std::optional<Field> Compile(const event::Column& column, uint16_t index,
                               const ConverterOptions& converter, ColumnRule rule, int32_t length) {
    absl::StatusOr<std::optional<Field>> field =
        CompileField({.column = &column,
                      .index = index,
                      .converter = &converter,
                      .values = &options_.values,
                      .placeholder = options_.unavailable_placeholder,
                      .rule = std::move(rule),
                      .length = length});
    if (!field.ok()) {
      plan_.status = WithContext(field.status(),
                                 absl::StrCat("column ", column.name, " of ", plan_.table_name));
      return std::nullopt;
    }
    if (*field) (*field)->name = names::AdjustFieldName(column.name, options_.field_names);
    return *std::move(field);
  }

  bool Included(const event::Column& column) const {
    return IsIncluded(options_.columns, absl::StrCat(plan_.table_name, ".", column.name));
  }

  bool HoldsNull(const event::Column& column) const {
    return absl::c_linear_search(request_.nullable, column.name);
  }

  // What is neither required nor has a default.
  static event::Column Loosened(event::Column column) {
    column.optional = true;
    column.default_expression.reset();
    return column;
  }

  // The column as a key has it.
  event::Column KeyColumn(uint16_t index) const {
    const event::Column& column = schema_.columns[index];
    return Included(column) && !HoldsNull(column) ? column : Loosened(column);
  }

  ColumnRule Rule(const event::Column& column, const SourceType& source) const {
    return RuleOf(options_.columns, plan_.table_name, column, source);
  }

  void Note(Notice kind, const event::Column& column) {
    plan_.notices.push_back({kind, plan_.table_name, column.name, column.type->name});
  }

  // Moves the fields into the plan; their schemas are the answer.
  std::vector<event::ConnectField> Place(std::vector<Field> fields, RowPlan* row) {
    PlaceFields(&fields);
    absl::flat_hash_set<std::string> names;
    std::vector<event::ConnectField> schemas;
    row->fields.reserve(fields.size());
    schemas.reserve(fields.size());
    for (Field& field : fields) {
      if (!names.insert(field.name).second) plan_.status = Ambiguous(field.name);
      row->fields.push_back(std::move(field.plan));
      schemas.push_back({std::move(field.name), std::move(field.schema)});
    }
    return schemas;
  }

  absl::Status Ambiguous(absl::string_view name) const {
    return Error(
        absl::StatusCode::kFailedPrecondition, "field_name_conflict",
        absl::StrCat("two columns of ", plan_.table_name, " would both become field ", name),
        "set field.name.adjustment.mode=avro_unicode or none, or leave a column out with "
        "column.exclude.list");
  }

  std::string SchemaName(absl::string_view kind) const {
    return names::AdjustSchemaName(absl::StrCat(plan_.topic, kind), options_.schema_names);
  }

  void AddExtraField(std::vector<event::ConnectField>* schemas);

  const TableRequest& request_;
  const event::TableSchema& schema_;
  const EncodeOptions& options_;
  TablePlan& plan_;
};

void Compiler::CompileKey() {
  plan_.key.is_key = true;
  std::vector<Field> fields;
  const std::vector<uint16_t>& columns = request_.key ? request_.key->columns : schema_.key_columns;
  for (const uint16_t index : columns) {
    const event::Column column = KeyColumn(index);
    std::optional<Field> field = Compile(column, index, options_.key, {}, 0);
    if (!field) continue;
    if (Rule(column, SourceTypeOf(column, request_.snapshot)).mask != nullptr)
      Note(Notice::kMaskedKey, column);
    fields.push_back(*std::move(field));
  }
  std::vector<event::ConnectField> schemas = Place(std::move(fields), &plan_.key);
  AddExtraField(&schemas);
  // A key of columns that are all left out is a struct without fields, as in Debezium.
  if (schemas.empty() && columns.empty()) return;
  plan_.key_schema = event::Shared(RowSchema(SchemaName(".Key"), std::move(schemas)));
  plan_.key_head = PayloadHead(*plan_.key_schema, options_.key);
}

void Compiler::AddExtraField(std::vector<event::ConnectField>* schemas) {
  if (request_.key == nullptr || request_.key->extra_field.empty()) return;
  const std::string& name = request_.key->extra_field;
  const std::string& value = request_.key->extra_value;
  for (const event::ConnectField& field : *schemas) {
    if (field.name == name) plan_.status = Ambiguous(name);
  }
  for (const TextFormat format : {TextFormat::kJson, TextFormat::kHeader})
    plan_.key.tail[Index(format)] =
        absl::StrCat(QuotedName(name, format), ":", QuotedName(value, format));
  plan_.key.tail[Index(TextFormat::kStruct)] = absl::StrCat(name, "=", value);
  schemas->push_back({name, event::Shared(event::Schema(event::ConnectType::kString))});
}

void Compiler::CompileValue() {
  std::vector<Field> fields;
  for (size_t i = 0; i < schema_.columns.size(); ++i) {
    const event::Column& known = schema_.columns[i];
    if (!Included(known)) continue;
    const event::Column column = HoldsNull(known) ? Loosened(known) : known;
    const SourceType source = SourceTypeOf(column, request_.snapshot);
    ColumnRule rule = Rule(column, source);
    const bool unmasked = rule.mask_without_effect;
    std::optional<Field> field =
        Compile(column, static_cast<uint16_t>(i), options_.value, std::move(rule), source.length);
    if (!field) {
      if (plan_.status.ok()) Note(Notice::kTypeNotSupported, column);
      continue;
    }
    if (event::BaseType(*column.type).kind == event::TypeKind::kUnknown)
      Note(Notice::kTypeDropped, column);
    if (unmasked) Note(Notice::kMaskWithoutEffect, column);
    fields.push_back(*std::move(field));
  }
  event::ConnectSchema row = RowSchema(SchemaName(".Value"), Place(std::move(fields), &plan_.row));
  plan_.envelope_schema = event::Shared(EnvelopeSchema(SchemaName(".Envelope"), std::move(row)));
  plan_.value_head = PayloadHead(*plan_.envelope_schema, options_.value);
}

}  // namespace

std::string PayloadHead(const event::ConnectSchema& schema, const ConverterOptions& converter) {
  if (converter.kind != ConverterKind::kJson || !converter.schemas_enable) return "";
  OutBuffer text;
  AppendSchemaJson(schema, {.out = &text, .decimal_numeric = converter.decimal_numeric});
  return absl::StrCat("{\"schema\":", text.view(), ",\"payload\":");
}

TablePlan CompileTable(const TableRequest& request, const EncodeOptions& options) {
  const event::TableSchema& schema = *request.schema;
  TablePlan plan;
  plan.version = schema.version.value();
  plan.topic = std::string(request.topic);
  plan.snapshot = request.snapshot;
  plan.table_name = absl::StrCat(schema.schema, ".", schema.table);
  plan.partitioned = schema.partitioned;
  plan.columns = schema.columns.size();
  Compiler compiler(request, options, &plan);
  compiler.CompileKey();
  compiler.CompileValue();
  return plan;
}

}  // namespace walduct::encode
