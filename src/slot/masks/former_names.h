// FormerNames: columns that are hidden, and were hidden under another name before. An entry of a
// list that names the former one is kept on purpose: rows from before the rename may still come.
// They go with the stored position, in walduct_masks (mask_memory.h). Pure.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "slot/masks/column_cover.h"
#include "slot/masks/known_columns.h"

namespace walduct::slot {

// By "schema.table.column" as it was: the same as it is.
using FormerNames = std::map<std::string, std::string>;

inline constexpr size_t kMostFormer = 200;  // the rest is told as if nobody knew

// before and now: one table.
void AddFormer(const KnownColumns& before, const KnownColumns& now, const ColumnCover& cover,
               FormerNames* former);

}  // namespace walduct::slot
