#include "snapshot/parts.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace walduct::snapshot {
namespace {

std::string Block(uint32_t block) { return absl::StrCat("'(", block, ",0)'::pg_catalog.tid"); }

// Chunks of 8 MB, or of half a percent of the table.
uint32_t ChunkBlocks(const PlannedTable& table) {
  constexpr uint32_t kBlocks = 1024;
  constexpr uint32_t kChunks = 200;
  return std::max(kBlocks, table.blocks.value_or(0) / kChunks);
}

bool CountsBlocks(const PlannedTable& table, const TablePart& part) {
  return table.blocks && part.place.parts > 1 && !part.changed_since;
}

// Of an open part what was there when blocks were counted.
uint64_t EndOf(const PlannedTable& table, const TablePart& part) {
  const uint64_t blocks = table.blocks.value_or(0);
  return part.blocks.end ? std::min<uint64_t>(*part.blocks.end, blocks) : blocks;
}

// Of a thousandth of the table, but no smaller than 1 MB.
uint64_t SmallParts(uint64_t blocks) {
  constexpr uint64_t kBlocks = 128;
  constexpr uint64_t kParts = 1000;
  return (blocks + kBlocks - 1) / std::max(kBlocks, blocks / kParts);
}

uint64_t CountOf(const PlannedTable& table, const SplitOptions& options) {
  const uint64_t blocks = options.whole_tables ? 0 : table.blocks.value_or(0);
  uint64_t wanted = options.sessions * table.parts_per_session;
  if (options.small) wanted = std::max(wanted, SmallParts(blocks));
  // The last one is open, so that a table of one block may have two.
  return wanted < 2 || blocks == 0 ? 1 : std::min(wanted, blocks + 1);
}

// The ranges that are left, cut where those of the whole table would be; before them what has
// changed in those that were read.
std::vector<TablePart> PartsOf(const PlannedTable& table, const SplitOptions& options) {
  std::vector<TablePart> parts;
  for (const BlockRange& range : table.before.ranges)
    parts.push_back({.place = {}, .blocks = range, .changed_since = table.before.since});
  const uint64_t count = CountOf(table, options);
  const uint64_t each = (table.blocks.value_or(0) + count - 1) / count;
  for (const BlockRange& left : RangesLeft(table.before.ranges)) {
    uint64_t from = left.begin;
    for (uint64_t i = 1; i < count; ++i) {
      const uint64_t cut = i * each;
      if (cut <= from || (left.end && cut >= *left.end)) continue;
      parts.push_back(
          {.place = {}, .blocks = {static_cast<uint32_t>(from), static_cast<uint32_t>(cut)}});
      from = cut;
    }
    parts.push_back({.place = {}, .blocks = {static_cast<uint32_t>(from), left.end}});
  }
  return parts;
}

// Transaction ids turn over: what is ahead of another by less than half of them is newer. Nothing
// older than that can be there while the slot stands.
std::string ChangedSince(uint64_t xid) {
  constexpr uint64_t kIds = uint64_t{1} << 32;
  return absl::StrCat(" AND (xmin::pg_catalog.text::pg_catalog.int8 - ", xid % kIds, " + ", kIds,
                      ") % ", kIds, " < ", kIds / 2);
}

}  // namespace

std::vector<TablePart> SplitTables(const std::vector<PlannedTable>& tables,
                                   const SplitOptions& options) {
  std::vector<TablePart> all;
  for (size_t table = 0; table < tables.size(); ++table) {
    std::vector<TablePart> parts = PartsOf(tables[table], options);
    for (size_t i = 0; i < parts.size(); ++i) {
      parts[i].place = {.table = table, .part = i, .parts = parts.size()};
      all.push_back(parts[i]);
    }
  }
  return all;
}

uint64_t BlocksOf(const PlannedTable& table, const TablePart& part) {
  if (!CountsBlocks(table, part)) return 0;
  const uint64_t end = EndOf(table, part);
  return end - std::min<uint64_t>(part.blocks.begin, end);
}

size_t ChunksOf(const PlannedTable& table, const TablePart& part) {
  const uint64_t each = ChunkBlocks(table);
  return std::max<uint64_t>(1, (BlocksOf(table, part) + each - 1) / each);
}

TablePart ChunkAt(const PlannedTable& table, const TablePart& part, uint32_t from) {
  TablePart chunk = part;
  if (!CountsBlocks(table, part)) return chunk;
  chunk.blocks.begin = from;
  const uint64_t end = from + uint64_t{ChunkBlocks(table)};
  if (end < EndOf(table, part)) chunk.blocks.end = static_cast<uint32_t>(end);
  return chunk;
}

std::string PartStatement(const PlannedTable& table, const TablePart& part) {
  if (part.place.parts == 1) return table.select;
  std::string statement = absl::StrCat(table.select, " WHERE ctid >= ", Block(part.blocks.begin));
  if (part.blocks.end) absl::StrAppend(&statement, " AND ctid < ", Block(*part.blocks.end));
  if (part.changed_since) absl::StrAppend(&statement, ChangedSince(*part.changed_since));
  return statement;
}

}  // namespace walduct::snapshot
