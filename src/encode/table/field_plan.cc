#include "encode/table/field_plan.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/status_macros.h"
#include "encode/options/column_options.h"
#include "encode/options/converter_options.h"
#include "encode/options/value_options.h"
#include "encode/readers/read_formats.h"
#include "encode/types/default_value.h"
#include "encode/types/type_table.h"
#include "encode/values/text_hash.h"
#include "encode/values/value_mask.h"

namespace walduct::encode {
namespace {

constexpr TextFormat kAllFormats[] = {TextFormat::kJson, TextFormat::kHeader, TextFormat::kStruct};

// A constant in the formats of text, as the column's own converter writes it; absent when the
// reader cannot read it.
std::optional<Texts> Render(const Constant& constant, const ConverterOptions& converter) {
  Scratch scratch;
  ReadContext context{.scratch = &scratch};
  Texts texts;
  for (const TextFormat format : kAllFormats) {
    OutBuffer text;
    const TextTarget target{.out = &text,
                            .format = format,
                            .decimal_numeric = converter.decimal_numeric,
                            .map_entries = converter.json_schema};
    const Outcome outcome = WithTextWriter(
        target, [&](auto* out) { return ReadValue(constant.text, constant.plan, &context, out); });
    if (outcome != Outcome::kOk) return std::nullopt;
    texts[Index(format)] = std::string(text.view());
  }
  return texts;
}

// How values of the schema's type are cut; absent: they are not.
std::optional<Reads> CutOf(const event::ConnectSchema& schema, const ValuePlan& inner) {
  if (schema.type == event::ConnectType::kString) return Reads::kCutText;
  if (inner.reads == Reads::kTextBytes) return Reads::kCutTextBytes;
  if (inner.reads == Reads::kGeometricBytes) return Reads::kCutGeometricBytes;
  if (inner.reads == Reads::kBytea) return Reads::kCutBytea;
  return std::nullopt;
}

// Stars, hash, or a text cut short, around the value plan of a column. inner itself where the mask
// does nothing to values of the schema's type: only texts and bytes can be cut. length: of the
// column, which a hash is cut to. A hash belongs to the thread that writes values.
ValuePlan MaskedPlan(const ColumnMask& mask, int32_t length, const event::ConnectSchema& schema,
                     ValuePlan inner) {
  auto masked = std::make_shared<ValueMask>();
  ValuePlan plan;
  switch (mask.kind) {
    case ColumnMaskKind::kTruncate: {
      const std::optional<Reads> cut = CutOf(schema, inner);
      if (!cut) return inner;
      plan.reads = *cut;
      masked->length = mask.length;
      break;
    }
    case ColumnMaskKind::kStars:
      plan.reads = Reads::kStars;
      masked->stars.assign(mask.length, '*');
      break;
    case ColumnMaskKind::kHash:
    case ColumnMaskKind::kHashV2:
      plan.reads = Reads::kHash;
      masked->length = static_cast<uint32_t>(std::max(length, 0));
      masked->hash = std::make_shared<TextHash>(mask);
      break;
  }
  masked->inner = std::move(inner);
  plan.mask = std::move(masked);
  return plan;
}

// The plan under the column's mask, if it has one.
ValuePlan Masked(const FieldRequest& request, const TypeMapping& mapping, ValuePlan plan) {
  if (request.rule.mask == nullptr) return plan;
  return MaskedPlan(*request.rule.mask, request.length, mapping.schema, std::move(plan));
}

// What replaces NULL in a required field: the default, else a constant of the type; masked like any
// value.
Constant RequiredNull(const FieldRequest& request, const TypeMapping& mapping,
                      const std::optional<Constant>& default_value) {
  if (default_value) return {default_value->text, Masked(request, mapping, default_value->plan)};
  ValuePlan plan = mapping.plan;
  if (mapping.text_filler) plan.reads = Reads::kString;
  // the constant for timestamptz has no fraction, whatever the column's precision
  plan.precision = 0;
  return {mapping.filler, Masked(request, mapping, std::move(plan))};
}

// A required field never is null. An optional one takes its default where JsonConverter's
// replace.null.with.default says so; Struct.get, which headers are printed with, always does;
// Struct.toString never does.
std::shared_ptr<const Texts> OptionalNull(const std::optional<Texts>& default_texts,
                                          const ConverterOptions& converter) {
  static const auto* const plain =
      new auto(std::make_shared<const Texts>(Texts{"null", "null", ""}));
  if (!default_texts) return *plain;
  Texts texts = **plain;
  if (converter.replace_null_with_default)
    texts[Index(TextFormat::kJson)] = (*default_texts)[Index(TextFormat::kJson)];
  texts[Index(TextFormat::kHeader)] = (*default_texts)[Index(TextFormat::kHeader)];
  return std::make_shared<const Texts>(std::move(texts));
}

// The default, when the type can read it.
std::optional<Constant> ReadableDefault(const FieldRequest& request, const TypeMapping& mapping,
                                        std::optional<Texts>* texts) {
  std::optional<Constant> constant =
      DefaultConstant(*request.column, mapping, request.values->keep_lost);
  if (!constant) return std::nullopt;
  *texts = Render(*constant, *request.converter);
  if (!texts->has_value()) return std::nullopt;
  return constant;
}

// default_value is readable.
event::ConnectDefault DefaultOf(const Constant& default_value) {
  std::string buffer;
  Scratch scratch;
  ReadContext context{.scratch = &scratch};
  ScalarWriter out(&buffer);
  CHECK(ReadValue(default_value.text, default_value.plan, &context, &out) == Outcome::kOk);
  return event::ConnectDefault(out.value());
}

void SetNull(const FieldRequest& request, const TypeMapping& mapping,
             const std::optional<Constant>& default_value,
             const std::optional<Texts>& default_texts, FieldPlan* plan) {
  const bool stars =
      request.rule.mask != nullptr && request.rule.mask->kind == ColumnMaskKind::kStars;
  const bool filled = mapping.always_optional && !request.column->optional;
  if (mapping.schema.optional && !stars && !filled) {
    if (default_value) plan->null_value = std::make_shared<const Constant>(*default_value);
    plan->null_text = OptionalNull(default_texts, *request.converter);
    return;
  }
  plan->null_value =
      std::make_shared<const Constant>(RequiredNull(request, mapping, default_value));
  std::optional<Texts> texts = Render(*plan->null_value, *request.converter);
  CHECK(texts.has_value());
  plan->null_text = std::make_shared<const Texts>(*std::move(texts));
  plan->null_is_value = true;
  plan->null_is_filler = !stars;
}

absl::Status SetPlaceholder(const FieldRequest& request, const TypeMapping& mapping,
                            FieldPlan* plan) {
  ASSIGN_OR_RETURN(std::optional<Constant> constant, PlaceholderOf(mapping, request.placeholder));
  if (!constant) return absl::OkStatus();
  // Debezium does not cut the placeholder of binary values.
  if (mapping.schema.type != event::ConnectType::kBytes)
    constant->plan = Masked(request, mapping, std::move(constant->plan));
  std::optional<Texts> texts = Render(*constant, *request.converter);
  if (!texts) return absl::OkStatus();
  plan->placeholder =
      std::make_shared<const Substitute>(Substitute{*std::move(constant), *std::move(texts)});
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::optional<Field>> CompileField(const FieldRequest& request) {
  const event::Column& column = *request.column;
  TypeMapping mapping;
  if (!MapType(*column.type, column.typmod, *request.values, &mapping))
    return std::optional<Field>();
  mapping.schema.optional = column.optional || mapping.always_optional;
  if (mapping.nulled && !mapping.schema.optional) return std::optional<Field>();
  std::optional<Texts> default_texts;
  const std::optional<Constant> default_value = ReadableDefault(request, mapping, &default_texts);
  if (default_value) mapping.schema.default_value = DefaultOf(*default_value);
  for (const auto& parameter : request.rule.parameters)
    mapping.schema.parameters.push_back(parameter);
  Field field;
  field.plan.value = Masked(request, mapping, mapping.plan);
  SetNull(request, mapping, default_value, default_texts, &field.plan);
  RETURN_IF_ERROR(SetPlaceholder(request, mapping, &field.plan));
  field.plan.column = request.index;
  field.plan.need = NeedOf(&mapping.schema);
  field.plan.name = column.name;
  field.schema = event::Shared(std::move(mapping.schema));
  return std::optional(std::move(field));
}

std::string QuotedName(absl::string_view name, TextFormat format) {
  OutBuffer quoted;
  const TextTarget target{.out = &quoted, .format = format};
  AppendText(name, &target);
  return std::string(quoted.view());
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
