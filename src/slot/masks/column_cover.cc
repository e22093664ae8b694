#include "slot/masks/column_cover.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "encode/options/column_options.h"
#include "encode/types/column_rules.h"
#include "java/regex/regex_list.h"
#include "route/message_keys.h"

namespace walduct::slot {

bool Cover::IsWeakenedBy(const Cover& other) const {
  if (strength == Strength::kTruncated && other.strength == Strength::kTruncated)
    return other.length > length;
  return other.strength < strength;
}

ColumnCover::ColumnCover(const encode::ColumnOptions& columns,
                         const std::optional<route::MessageKeys>& keys)
    : columns_(std::make_shared<const encode::ColumnOptions>(columns)),
      keys_(keys ? std::make_shared<const route::MessageKeys>(*keys) : nullptr) {}

bool ColumnCover::lost_warns() const { return columns_->lost_warns; }

bool ColumnCover::has_include_list() const { return columns_->include != nullptr; }

bool ColumnCover::any() const {
  return columns_->include != nullptr || columns_->exclude != nullptr || !columns_->masks.empty() ||
         keys_ != nullptr;
}

bool ColumnCover::IsIncluded(absl::string_view table, absl::string_view column) const {
  return encode::IsIncluded(*columns_, absl::StrCat(table, ".", column));
}

Cover ColumnCover::Of(absl::string_view table, const KnownColumn& column) const {
  const std::string name = absl::StrCat(table, ".", column.name);
  Cover cover;
  if (columns_->include != nullptr) {
    if (!columns_->include->Matches(name))
      return {.strength = Cover::Strength::kLeftOut,
              .not_wanted = true,
              .property = "column.include.list"};
  } else if (columns_->exclude != nullptr && columns_->exclude->Matches(name)) {
    return {.strength = Cover::Strength::kLeftOut, .property = "column.exclude.list"};
  }
  for (const encode::ColumnMask& mask : columns_->masks) {
    const bool truncates = mask.kind == encode::ColumnMaskKind::kTruncate;
    const Cover next = {
        .strength = truncates ? Cover::Strength::kTruncated : Cover::Strength::kMasked,
        .length = mask.length,
        .property = mask.property};
    const bool applies = truncates || column.of_text;
    if (applies && next.IsWeakenedBy(cover) && mask.columns->Matches(name)) cover = next;
  }
  return cover;
}

std::vector<uint16_t> ColumnCover::KeyOf(const KnownColumns& table) const {
  if (!keys_) return {};
  std::vector<absl::string_view> names;
  names.reserve(table.columns.size());
  for (const KnownColumn& column : table.columns) names.push_back(column.name);
  return keys_->Choose(table.FullName(), names);
}

bool ColumnCover::Watches(const KnownColumns& table) const {
  const std::string name = table.FullName();
  const auto watched = [&](const KnownColumn& column) {
    return columns_->include != nullptr || Of(name, column).strength != Cover::Strength::kNone;
  };
  return std::any_of(table.columns.begin(), table.columns.end(), watched) || !KeyOf(table).empty();
}

}  // namespace walduct::slot
