#include "encode/types/column_rules.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "encode/options/column_options.h"
#include "java/regex/regex_list.h"

namespace walduct::encode {
namespace {

bool IsHash(const ColumnMask& mask) {
  return mask.kind == ColumnMaskKind::kHash || mask.kind == ColumnMaskKind::kHashV2;
}

// The first mask that names the column and passes the filter.
template <typename Filter>
const ColumnMask* FirstMask(const ColumnOptions& options, absl::string_view column, Filter filter) {
  for (const ColumnMask& mask : options.masks) {
    if (filter(mask) && mask.columns->Matches(column)) return &mask;
  }
  return nullptr;
}

bool IsPropagated(const ColumnOptions& options, absl::string_view table, absl::string_view column,
                  const SourceType& source) {
  if (options.propagate_columns && options.propagate_columns->Matches(column)) return true;
  return options.propagate_types &&
         options.propagate_types->Matches(absl::StrCat(table, ".", source.name));
}

void Propagate(const event::Column& column, const SourceType& source, ColumnRule* rule) {
  constexpr absl::string_view kPrefix = "__debezium.source.column.";
  const auto add = [&](absl::string_view name, std::string value) {
    rule->parameters.emplace_back(absl::StrCat(kPrefix, name), std::move(value));
  };
  add("type", absl::AsciiStrToUpper(source.name));
  add("length", absl::StrCat(source.length));
  if (source.scale) add("scale", absl::StrCat(*source.scale));
  add("name", column.name);
}

void Apply(const ColumnMask& mask, const event::Column& column, const SourceType& source,
           ColumnRule* rule) {
  if (mask.kind != ColumnMaskKind::kTruncate) {
    rule->parameters.emplace_back("masked", "true");
    if (IsCharacterType(*column.type)) rule->mask = &mask;
    return;
  }
  // A column that cannot be longer is left alone.
  if (static_cast<int64_t>(source.length) <= static_cast<int64_t>(mask.length)) return;
  rule->parameters.emplace_back("truncateLength", absl::StrCat(mask.length));
  rule->mask = &mask;
}

}  // namespace

bool IsIncluded(const ColumnOptions& options, absl::string_view column) {
  if (options.include) return options.include->Matches(column);
  return !options.exclude || !options.exclude->Matches(column);
}

ColumnRule RuleOf(const ColumnOptions& options, absl::string_view table,
                  const event::Column& column, const SourceType& source) {
  ColumnRule rule;
  const std::string name = absl::StrCat(table, ".", column.name);
  const ColumnMask* covering = FirstMask(
      options, name, [](const ColumnMask& m) { return m.kind != ColumnMaskKind::kTruncate; });
  const ColumnMask* first =
      FirstMask(options, name, [](const ColumnMask& m) { return !IsHash(m); });
  const bool propagated = first == nullptr && IsPropagated(options, table, name, source);
  if (propagated) Propagate(column, source, &rule);
  if (covering != nullptr && IsCharacterType(*column.type)) {
    Apply(*covering, column, source, &rule);
    return rule;
  }
  rule.mask_without_effect = covering != nullptr;
  if (first == nullptr && !propagated) first = covering;
  if (first != nullptr) Apply(*first, column, source, &rule);
  return rule;
}

}  // namespace walduct::encode
