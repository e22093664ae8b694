#include "encode/table_plan.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/json_text.h"
#include "encode/appenders.h"
#include "encode/default_value.h"
#include "encode/envelope_schema.h"
#include "encode/placeholder.h"
#include "encode/schema_json.h"
#include "encode/type_table.h"

namespace walduct::encode {
namespace {

constexpr TextFormat kAllFormats[] = {TextFormat::kJson, TextFormat::kHeader, TextFormat::kStruct};

struct Field {
  FieldPlan plan;
  ConnectSchemaPtr schema;
};

// What the column's own converter makes of a constant; absent when the type cannot read it.
std::optional<Texts> Render(absl::string_view text, const ValuePlan& plan,
                            const config::ConverterOptions& converter) {
  Scratch scratch;
  Texts texts;
  for (TextFormat format : kAllFormats) {
    ValueContext context;
    context.out = &texts[Index(format)];
    context.format = format;
    context.decimal_numeric = converter.decimal_numeric;
    context.scratch = &scratch;
    if (plan.append(text, plan, &context) != Outcome::kOk) return std::nullopt;
  }
  return texts;
}

std::string QuotedName(absl::string_view name, TextFormat format) {
  std::string quoted;
  ValueContext context;
  context.out = &quoted;
  context.format = format;
  AppendText(name, &context);
  return quoted;
}

Texts Prefix(absl::string_view name, bool first) {
  const char* open = first ? "{" : ",";
  return {absl::StrCat(open, QuotedName(name, TextFormat::kJson), ":"),
          absl::StrCat(open, QuotedName(name, TextFormat::kHeader), ":"), absl::StrCat(name, "=")};
}

// A required field never is null: it takes its default, else a constant of its type. An optional one takes its default where
// JsonConverter's replace.null.with.default says so; Struct.get, which headers are printed with, always does; Struct.toString
// never does.
Texts NullTexts(const TypeMapping& mapping, const std::optional<Texts>& default_texts,
                const config::ConverterOptions& converter) {
  if (!mapping.schema.optional) {
    if (default_texts) return *default_texts;
    ValuePlan plan = mapping.plan;
    if (mapping.text_filler) plan.append = AppendString;
    plan.precision =
        0;  // the constant for timestamptz has no fraction, whatever the column's precision
    std::optional<Texts> filler = Render(mapping.filler, plan, converter);
    CHECK(filler.has_value());
    return *std::move(filler);
  }
  Texts texts = {"null", "null", ""};
  if (!default_texts) return texts;
  if (converter.replace_null_with_default)
    texts[Index(TextFormat::kJson)] = (*default_texts)[Index(TextFormat::kJson)];
  texts[Index(TextFormat::kHeader)] = (*default_texts)[Index(TextFormat::kHeader)];
  return texts;
}

std::optional<Field> CompileField(const event::Column& column,
                                  const config::ConverterOptions& converter,
                                  const config::EncodeOptions& options) {
  const absl::string_view placeholder = options.unavailable_placeholder;
  TypeMapping mapping;
  if (!MapType(*column.type, column.typmod, options.values, &mapping)) return std::nullopt;
  const bool optional = column.optional || mapping.always_optional;
  if (mapping.nulled && !optional) return std::nullopt;
  Field field;
  mapping.schema.optional = optional;
  std::optional<Texts> default_texts;
  if (const auto text = DefaultText(column, mapping)) {
    default_texts = Render(*text, mapping.plan, converter);
    if (default_texts) {
      mapping.schema.default_value =
          ConnectDefault{*text, (*default_texts)[Index(TextFormat::kJson)]};
    }
  }
  field.plan.null_text = NullTexts(mapping, default_texts, converter);
  if (const auto numbers = PlaceholderNumbers(mapping, placeholder)) {
    field.plan.placeholder = {*numbers, *numbers, *numbers};
    field.plan.has_placeholder = true;
  } else if (const auto text = PlaceholderText(mapping, placeholder)) {
    field.plan.placeholder = Render(*text, PlaceholderPlan(mapping), converter).value_or(Texts{});
    field.plan.has_placeholder = true;
  }
  field.plan.value = std::move(mapping.plan);
  field.plan.optional = optional;
  field.plan.name = column.name;
  field.schema = Shared(std::move(mapping.schema));
  return field;
}

// Adds the column to a row; false: its type is not supported.
bool AddField(const event::TableSchema& schema, uint16_t index,
              const config::ConverterOptions& converter, const config::EncodeOptions& options,
              RowPlan* row, std::vector<ConnectField>* fields) {
  const event::Column& column = schema.columns[index];
  std::optional<Field> field = CompileField(column, converter, options);
  if (!field) return false;
  field->plan.column = index;
  field->plan.prefix = Prefix(column.name, row->fields.empty());
  row->fields.push_back(std::move(field->plan));
  fields->push_back({column.name, std::move(field->schema)});
  return true;
}

void CompileKey(const event::TableSchema& schema, const config::EncodeOptions& options,
                TablePlan* plan) {
  std::vector<ConnectField> fields;
  plan->key.is_key = true;
  for (const uint16_t column : schema.key_columns) {
    AddField(schema, column, options.key, options, &plan->key, &fields);
  }
  if (fields.empty()) return;
  plan->key_schema = Shared(KeySchema(plan->topic, std::move(fields)));
  plan->key_head = PayloadHead(*plan->key_schema, options.key);
}

void CompileValue(const event::TableSchema& schema, const config::EncodeOptions& options,
                  TablePlan* plan) {
  std::vector<ConnectField> fields;
  for (uint16_t i = 0; i < schema.columns.size(); ++i) {
    if (AddField(schema, i, options.value, options, &plan->row, &fields)) continue;
    plan->dropped.push_back(
        {schema.schema, schema.table, schema.columns[i].name, schema.columns[i].type->name});
  }
  plan->envelope_schema = Shared(EnvelopeSchema(plan->topic, std::move(fields)));
  plan->value_head = PayloadHead(*plan->envelope_schema, options.value);
}

}  // namespace

std::string PayloadHead(const ConnectSchema& schema, const config::ConverterOptions& converter) {
  if (converter.kind != config::ConverterKind::kJson || !converter.schemas_enable) return "";
  std::string head = "{\"schema\":";
  AppendSchemaJson(schema, &head);
  absl::StrAppend(&head, ",\"payload\":");
  return head;
}

Texts SourceTable(absl::string_view schema, absl::string_view table) {
  Texts texts;
  std::string& json = texts[Index(TextFormat::kJson)];
  json = ",\"schema\":";
  AppendJsonString(schema, &json);
  json += ",\"table\":";
  AppendJsonString(table, &json);
  texts[Index(TextFormat::kStruct)] = absl::StrCat(",schema=", schema, ",table=", table);
  return texts;
}

TablePlan CompileTable(const event::TableSchema& schema, absl::string_view topic,
                       const config::EncodeOptions& options) {
  TablePlan plan;
  plan.version = schema.version.value();
  plan.topic = std::string(topic);
  plan.table_name = absl::StrCat(schema.schema, ".", schema.table);
  plan.columns = schema.columns.size();
  plan.source_table = SourceTable(schema.schema, schema.table);
  CompileKey(schema, options, &plan);
  CompileValue(schema, options, &plan);
  return plan;
}

}  // namespace walduct::encode
