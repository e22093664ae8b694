#include "encode/types/type_table.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "encode/options/value_options.h"

namespace walduct::encode {
namespace {

using event::Type;
using event::TypeKind;

// By the order of the enumerators.
constexpr Forms kDecimalForms[] = {form::kAlways, form::kDecimalDouble, form::kDecimalString};
constexpr Forms kTimeForms[] = {form::kAlways,  form::kTimeMicros, form::kConnectTime,
                                form::kIsoTime, form::kMicros,     form::kNanos};
constexpr Forms kBinaryForms[] = {form::kAlways, form::kBase64, form::kBase64UrlSafe, form::kHex};
constexpr Forms kUnknownForms[] = {form::kUnknownBytes, form::kUnknownBase64,
                                   form::kUnknownBase64UrlSafe, form::kUnknownHex};

constexpr absl::string_view kPgCatalog = "pg_catalog";

// pgjdbc has classes of its own for them, which print numbers as Java does.
constexpr absl::string_view kGeometricTypes[] = {"box",  "circle", "line",
                                                 "lseg", "path",   "polygon"};

// pg_type.typdelim where it is not a comma, for types of which nobody said it.
constexpr std::pair<absl::string_view, char> kDelimiters[] = {
    {"box", ';'}, {"geometry", ':'}, {"geography", ':'}};

template <typename Mode, size_t kSize>
Forms FormOf(Mode mode, const Forms (&forms)[kSize]) {
  return forms[static_cast<size_t>(mode)];
}

const TypeRow* FindRow(absl::string_view name, bool pg_catalog, Forms active) {
  for (const TypeRow& row : TypeRows()) {
    const bool fits = row.when == form::kAlways || (row.when & active) != 0;
    if (fits && row.postgres == name && (row.in_any_schema || pg_catalog)) return &row;
  }
  return nullptr;
}

// Of an array that was dropped, by its name; absent: it is none, or nobody knows.
std::optional<Type> ElementOfDropped(const Type& type) {
  if (type.kind != TypeKind::kUnknown || type.name.size() < 2 || type.name[0] != '_' ||
      IsKnownByText(type))
    return std::nullopt;
  Type element;
  element.schema = type.schema;
  element.name = type.name.substr(1);
  return element;
}

const TypeRow* RowOf(const Type& type, Forms active) {
  const bool pg_catalog = type.schema == kPgCatalog;
  if (type.kind == TypeKind::kEnum) return FindRow(kEnumFamily, true, active);
  // No extension has a range that is known here.
  const bool of_name =
      type.kind == TypeKind::kUnknown || (type.kind == TypeKind::kRange && pg_catalog);
  if (of_name || (type.kind == TypeKind::kBase && !type.by_hand)) {
    if (const TypeRow* row = FindRow(type.name, pg_catalog, active)) return row;
  }
  const bool geometric =
      pg_catalog && std::find(std::begin(kGeometricTypes), std::end(kGeometricTypes), type.name) !=
                        std::end(kGeometricTypes);
  const TypeRow* const row = FindRow(geometric ? kGeometricFamily : kUnknownFamily, true, active);
  return row == nullptr && IsKnownByText(type) ? FindRow(kDroppedFamily, true, active) : row;
}

bool MapScalar(const Type& type, int32_t typmod, const ValueOptions& options,
               TypeMapping* mapping) {
  const TypeRow* row = RowOf(type, ActiveForms(options));
  if (row == nullptr) return false;
  mapping->row = row;
  mapping->schema = event::Schema(row->becomes, row->named);
  mapping->plan.reads = row->reads;
  mapping->plan.bytes_as = row->bytes_as;
  mapping->filler = std::string(row->filler);
  mapping->placeholder = row->not_sent;
  if (row->not_sent == Placeholder::kKeptText)
    mapping->placeholder = options.keep_lost ? Placeholder::kRawText : Placeholder::kNone;
  if (row->refine != nullptr) row->refine(typmod, options, mapping);
  if (type.kind == TypeKind::kEnum)
    mapping->schema.parameters = {{"allowed", absl::StrJoin(type.labels, ",")}};
  return true;
}

char DelimiterOf(const Type& element) {
  if (element.delimiter != 0) return element.delimiter;
  for (const auto& [name, delimiter] : kDelimiters) {
    if (element.name == name) return delimiter;
  }
  return ',';
}

// The column of Debezium: the schema of one element, the value always null.
void MakeNulled(TypeMapping* item) {
  item->plan.reads = Reads::kNothing;
  item->placeholder = Placeholder::kNone;
  item->nulled = true;
}

bool MapArray(const Type& element, int32_t typmod, const ValueOptions& options,
              TypeMapping* mapping) {
  TypeMapping item;
  if (!MapScalar(options.keep_lost ? event::BaseType(element) : element, typmod, options, &item))
    return false;
  const ArrayItems items = options.keep_lost ? ArrayItems::kOptional : item.row->array;
  if (items == ArrayItems::kUnsupported) return false;
  if (items == ArrayItems::kNulled) {
    *mapping = std::move(item);
    MakeNulled(mapping);
    return true;
  }
  item.schema.optional = items != ArrayItems::kRequired;
  item.plan.optional = item.schema.optional;
  mapping->schema = event::Schema(event::ConnectType::kArray);
  mapping->schema.items = event::Shared(std::move(item.schema));
  mapping->plan.reads = Reads::kArray;
  mapping->plan.finite_items = items == ArrayItems::kFinite;
  mapping->plan.no_nulls = items == ArrayItems::kNoNulls;
  mapping->plan.delimiter = DelimiterOf(event::BaseType(element));
  mapping->plan.element = std::make_shared<const ValuePlan>(item.plan);
  mapping->filler = "{}";
  mapping->placeholder = item.row->array_not_sent;
  mapping->array = true;
  mapping->row = item.row;
  return true;
}

// Debezium chooses the placeholder by the name of the column's own type.
Placeholder PlaceholderUnderDomain(const TypeMapping& mapping) {
  if (mapping.array) return Placeholder::kNone;
  if (mapping.placeholder != Placeholder::kHstore) return mapping.placeholder;
  return mapping.schema.type == event::ConnectType::kString ? Placeholder::kRawText
                                                            : Placeholder::kNone;
}

}  // namespace

Forms ActiveForms(const ValueOptions& options) {
  Forms active = FormOf(options.decimal, kDecimalForms) | FormOf(options.time, kTimeForms) |
                 FormOf(options.binary, kBinaryForms);
  if (options.hstore_map) active |= form::kHstoreMap;
  if (options.interval_string) active |= form::kIntervalString;
  if (options.keep_lost) active |= form::kKeepLost;
  if (options.keep_lost && options.time == TimeMode::kIsoString) active |= form::kIsoTimeKept;
  if (options.keep_lost && options.interval_string) active |= form::kIntervalStringKept;
  if (options.include_unknown) active |= form::kUnknown | FormOf(options.binary, kUnknownForms);
  return active;
}

bool IsKnownByText(const Type& type) {
  if (type.kind != TypeKind::kUnknown) return false;
  if (type.schema == kPgCatalog) return false;
  constexpr Forms kAnyForm = ~Forms{0};
  const absl::string_view name = type.name;
  const absl::string_view element = absl::StripPrefix(name, "_");
  return FindRow(element, false, kAnyForm) == nullptr;
}

bool MapType(const Type& type, int32_t typmod, const ValueOptions& options, TypeMapping* mapping) {
  const Type& base = event::BaseType(type);
  const int32_t effective = EffectiveTypmod(type, typmod);
  if (base.kind == TypeKind::kPseudo) return false;
  if (const std::optional<Type> element = ElementOfDropped(base))
    return MapArray(*element, effective, options, mapping);
  const bool mapped =
      base.kind != TypeKind::kArray
          ? MapScalar(base, effective, options, mapping)
          : base.element != nullptr && MapArray(*base.element, effective, options, mapping);
  if (mapped && type.kind == TypeKind::kDomain && !options.keep_lost)
    mapping->placeholder = PlaceholderUnderDomain(*mapping);
  return mapped;
}

}  // namespace walduct::encode
