#include "snapshot/parts.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace walduct::snapshot {
namespace {

std::string Block(uint32_t block) { return absl::StrCat("'(", block, ",0)'::pg_catalog.tid"); }

}  // namespace

std::vector<TablePart> SplitTables(const std::vector<PlannedTable>& tables,
                                   const SplitOptions& options) {
  std::vector<TablePart> parts;
  for (size_t table = 0; table < tables.size(); ++table) {
    const uint64_t blocks = options.whole_tables ? 0 : tables[table].blocks.value_or(0);
    // The last one is open, so that a table of one block may have two.
    const uint64_t wanted = options.sessions * tables[table].parts_per_session;
    const uint64_t count = wanted < 2 || blocks == 0 ? 1 : std::min(wanted, blocks + 1);
    const uint64_t each = (blocks + count - 1) / count;
    for (uint64_t i = 0; i < count; ++i) {
      TablePart& part = parts.emplace_back();
      part.place = {.table = table, .part = i, .parts = count};
      part.begin = static_cast<uint32_t>(i * each);
      if (i + 1 < count) part.end = static_cast<uint32_t>((i + 1) * each);
    }
  }
  return parts;
}

std::string PartStatement(const PlannedTable& table, const TablePart& part) {
  if (part.place.parts == 1) return table.select;
  const std::string from = absl::StrCat(table.select, " WHERE ctid >= ", Block(part.begin));
  return part.end ? absl::StrCat(from, " AND ctid < ", Block(*part.end)) : from;
}

}  // namespace walduct::snapshot
