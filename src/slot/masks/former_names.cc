#include "slot/masks/former_names.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace walduct::slot {
namespace {

bool IsHidden(const KnownColumns& table, const KnownColumn& column, const ColumnCover& cover) {
  const Cover of = cover.Of(table.FullName(), column);
  return of.strength != Cover::Strength::kNone && !of.not_wanted;
}

}  // namespace

void AddFormer(const KnownColumns& before, const KnownColumns& now, const ColumnCover& cover,
               FormerNames* former) {
  for (const KnownColumn& column : before.columns) {
    if (column.attnum == 0) continue;
    const auto same =
        std::find_if(now.columns.begin(), now.columns.end(),
                     [&column](const KnownColumn& one) { return one.attnum == column.attnum; });
    if (same == now.columns.end()) continue;
    const std::string was = absl::StrCat(before.FullName(), ".", column.name);
    const std::string is = absl::StrCat(now.FullName(), ".", same->name);
    if (was == is || !IsHidden(before, column, cover) || !IsHidden(now, *same, cover)) continue;
    for (auto& [older, newer] : *former)
      if (newer == was) newer = is;
    former->erase(is);
    if (former->size() < kMostFormer) (*former)[was] = is;
  }
}

}  // namespace walduct::slot
