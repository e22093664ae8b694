#include "encode/table/field_plan.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "encode/table/value_mask.h"
#include "encode/types/default_value.h"
#include "encode/types/placeholder.h"
#include "encode/types/type_table.h"
#include "encode/values/appenders.h"

namespace walduct::encode {
namespace {

constexpr TextFormat kAllFormats[] = {TextFormat::kJson, TextFormat::kHeader, TextFormat::kStruct};

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

// The plan under the column's mask, if it has one.
ValuePlan Masked(const FieldRequest& request, const TypeMapping& mapping, ValuePlan plan) {
  if (request.rule.mask == nullptr) return plan;
  return MaskedPlan(*request.rule.mask, request.length, mapping.schema, std::move(plan));
}

// What replaces NULL in a required field: the default, else a constant of the type; masked like any
// value.
Texts RequiredNull(const FieldRequest& request, const TypeMapping& mapping,
                   const std::optional<std::string>& default_text) {
  if (default_text) {
    const auto texts =
        Render(*default_text, Masked(request, mapping, mapping.plan), *request.converter);
    CHECK(texts.has_value());
    return *texts;
  }
  ValuePlan plan = mapping.plan;
  if (mapping.text_filler) plan.append = AppendString;
  // the constant for timestamptz has no fraction, whatever the column's precision
  plan.precision = 0;
  const auto texts =
      Render(mapping.filler, Masked(request, mapping, std::move(plan)), *request.converter);
  CHECK(texts.has_value());
  return *texts;
}

// A required field never is null. An optional one takes its default where JsonConverter's
// replace.null.with.default says so; Struct.get, which headers are printed with, always does;
// Struct.toString never does.
Texts OptionalNull(const std::optional<Texts>& default_texts,
                   const config::ConverterOptions& converter) {
  Texts texts = {"null", "null", ""};
  if (!default_texts) return texts;
  if (converter.replace_null_with_default)
    texts[Index(TextFormat::kJson)] = (*default_texts)[Index(TextFormat::kJson)];
  texts[Index(TextFormat::kHeader)] = (*default_texts)[Index(TextFormat::kHeader)];
  return texts;
}

// The default, when the type can read it.
std::optional<std::string> ReadableDefault(const FieldRequest& request, const TypeMapping& mapping,
                                           std::optional<Texts>* texts) {
  std::optional<std::string> text = DefaultText(*request.column, mapping);
  if (!text) return std::nullopt;
  *texts = Render(*text, mapping.plan, *request.converter);
  return texts->has_value() ? text : std::nullopt;
}

void SetNull(const FieldRequest& request, const TypeMapping& mapping,
             const std::optional<std::string>& default_text,
             const std::optional<Texts>& default_texts, FieldPlan* plan) {
  const bool stars =
      request.rule.mask != nullptr && request.rule.mask->kind == config::ColumnMaskKind::kStars;
  if (!mapping.schema.optional || stars) {
    plan->null_text = RequiredNull(request, mapping, default_text);
    plan->null_is_value = true;
  } else {
    plan->null_text = OptionalNull(default_texts, *request.converter);
  }
}

void SetPlaceholder(const FieldRequest& request, const TypeMapping& mapping, FieldPlan* plan) {
  if (const auto numbers = PlaceholderNumbers(mapping, request.placeholder)) {
    plan->placeholder = {*numbers, *numbers, *numbers};
  } else if (const auto text = PlaceholderText(mapping, request.placeholder)) {
    // Debezium does not cut the placeholder of binary values.
    ValuePlan how = PlaceholderPlan(mapping);
    if (mapping.schema.type != ConnectType::kBytes) how = Masked(request, mapping, std::move(how));
    plan->placeholder = Render(*text, how, *request.converter).value_or(Texts{});
  } else {
    return;
  }
  plan->has_placeholder = true;
}

}  // namespace

std::optional<Field> CompileField(const FieldRequest& request) {
  const event::Column& column = *request.column;
  TypeMapping mapping;
  if (!MapType(*column.type, column.typmod, *request.values, &mapping)) return std::nullopt;
  mapping.schema.optional = column.optional || mapping.always_optional;
  if (mapping.nulled && !mapping.schema.optional) return std::nullopt;
  std::optional<Texts> default_texts;
  const std::optional<std::string> default_text = ReadableDefault(request, mapping, &default_texts);
  if (default_text)
    mapping.schema.default_value =
        ConnectDefault{*default_text, (*default_texts)[Index(TextFormat::kJson)]};
  for (const auto& parameter : request.rule.parameters)
    mapping.schema.parameters.push_back(parameter);
  Field field;
  field.plan.value = Masked(request, mapping, mapping.plan);
  SetNull(request, mapping, default_text, default_texts, &field.plan);
  SetPlaceholder(request, mapping, &field.plan);
  field.plan.column = request.index;
  field.plan.optional = mapping.schema.optional;
  field.plan.name = column.name;
  field.schema = Shared(std::move(mapping.schema));
  return field;
}

std::string QuotedName(absl::string_view name, TextFormat format) {
  std::string quoted;
  ValueContext context;
  context.out = &quoted;
  context.format = format;
  AppendText(name, &context);
  return quoted;
}

void PlaceFields(std::vector<Field>* fields) {
  const char* open = "{";
  for (Field& field : *fields) {
    field.plan.prefix = {absl::StrCat(open, QuotedName(field.name, TextFormat::kJson), ":"),
                         absl::StrCat(open, QuotedName(field.name, TextFormat::kHeader), ":"),
                         absl::StrCat(field.name, "=")};
    open = ",";
  }
}

}  // namespace walduct::encode
