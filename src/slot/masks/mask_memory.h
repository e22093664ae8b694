// The columns of tables that are watched, as they go with each stored position, under
// walduct_masks:
//
//   {"tables":[[oid,"schema","table",[[number,"column",of text],…]],…],
//    "former":[["schema.table.column","as it is called now"],…]}
//
// Longer than kLongest it leaves out columns that nothing covers, then whole tables, and says so.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "offset/stored_offset.h"
#include "slot/masks/former_names.h"
#include "slot/masks/known_columns.h"

namespace walduct::slot {

class ColumnCover;

inline constexpr size_t kLongestMasks = size_t{64} << 10;

// A JSON string, as Connect takes only primitives in an offset; empty: nothing is watched. *whole:
// all of it had room.
std::string EncodeMasks(const std::map<Oid, KnownColumns>& tables, const ColumnCover& cover,
                        const FormerNames& former, bool* whole);
// Absent: damaged.
std::optional<std::vector<KnownColumns>> DecodeMasks(absl::string_view member);
// Without those that are damaged.
FormerNames DecodeFormer(absl::string_view member);
// What goes with a position, of the system that is asked about; nothing where it is another, or
// nothing is known. Damage is told.
std::vector<KnownColumns> StoredMasks(const std::optional<offset::StoredOffset>& stored,
                                      absl::string_view system);
// Names alone; none of a position that is not there.
FormerNames StoredFormer(const std::optional<offset::StoredOffset>& stored);

// All that several slots remember, as one member; empty: none does.
std::string MergeMasks(const std::vector<std::string>& members);

}  // namespace walduct::slot
