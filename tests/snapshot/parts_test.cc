#include "snapshot/parts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace walduct::snapshot {
namespace {

using testing::ElementsAre;

PlannedTable Table(std::optional<uint32_t> blocks, size_t parts_per_session = 1) {
  PlannedTable table;
  table.select = "SELECT 1 FROM t";
  table.blocks = blocks;
  table.parts_per_session = parts_per_session;
  return table;
}

std::vector<std::string> Statements(const PlannedTable& table, const SplitOptions& options) {
  std::vector<std::string> statements;
  for (const TablePart& part : SplitTables({table}, options))
    statements.push_back(PartStatement(table, part).substr(table.select.size()));
  return statements;
}

TEST(Parts, OneSessionReadsTheTableAsItIs) {
  EXPECT_THAT(Statements(Table(1000), {}), ElementsAre(""));
}

TEST(Parts, TheRangesJoinAndTheLastOneIsOpen_SNP23) {
  EXPECT_THAT(
      Statements(Table(10), {.sessions = 3}),
      ElementsAre(" WHERE ctid >= '(0,0)'::pg_catalog.tid AND ctid < '(4,0)'::pg_catalog.tid",
                  " WHERE ctid >= '(4,0)'::pg_catalog.tid AND ctid < '(8,0)'::pg_catalog.tid",
                  " WHERE ctid >= '(8,0)'::pg_catalog.tid"));
}

TEST(Parts, AsManyAsSessionsTimesMultiplierAndBlocksAllow_SNP23) {
  EXPECT_EQ(SplitTables({Table(1000, 4)}, {.sessions = 2}).size(), 8u);
  EXPECT_EQ(SplitTables({Table(1)}, {.sessions = 8}).size(), 2u);
  EXPECT_EQ(SplitTables({Table(UINT32_MAX)}, {.sessions = 64}).back().blocks.begin, 4227858432u);
}

TEST(Parts, WholeWhereBlocksAreNotKnownOrNotWanted_SNP23) {
  EXPECT_THAT(Statements(Table(std::nullopt), {.sessions = 3}), ElementsAre(""));
  EXPECT_THAT(Statements(Table(0), {.sessions = 3}), ElementsAre(""));
  EXPECT_THAT(Statements(Table(10), {.sessions = 3, .whole_tables = true}), ElementsAre(""));
}

// Chunks of a part join, and the last one ends where the part does.
TEST(Parts, LargeOnesAreReadInChunks) {
  const PlannedTable table = Table(5000);
  const std::vector<TablePart> parts = SplitTables({table}, {.sessions = 2});
  ASSERT_EQ(parts.size(), 2u);
  uint64_t blocks = 0;
  size_t chunks = 0;
  for (const TablePart& part : parts) {
    TablePart chunk = ChunkAt(table, part, part.blocks.begin);
    EXPECT_EQ(chunk.blocks.begin, part.blocks.begin);
    for (++chunks; chunk.blocks.end != part.blocks.end; ++chunks) {
      EXPECT_EQ(*chunk.blocks.end - chunk.blocks.begin, 1024u);
      blocks += BlocksOf(table, chunk);
      const uint32_t end = *chunk.blocks.end;
      chunk = ChunkAt(table, part, end);
      EXPECT_EQ(chunk.blocks.begin, end);
    }
    blocks += BlocksOf(table, chunk);
  }
  EXPECT_EQ(blocks, 5000u);
  EXPECT_EQ(chunks, ChunksOf(table, parts[0]) + ChunksOf(table, parts[1]));
  EXPECT_EQ(chunks, 6u);
}

TEST(Parts, ChunksAreNoMoreThanAPercentEach) {
  const PlannedTable table = Table(UINT32_MAX);
  const TablePart part = SplitTables({table}, {.sessions = 2})[1];
  EXPECT_EQ(ChunksOf(table, part), 101u);
  EXPECT_EQ(ChunkAt(table, part, UINT32_MAX - 5).blocks.end, std::nullopt);
}

TEST(Parts, AWholeTableIsOneChunkAndCountsNoBlocks) {
  const PlannedTable table = Table(5000);
  const TablePart part = SplitTables({table}, {})[0];
  EXPECT_EQ(ChunksOf(table, part), 1u);
  EXPECT_EQ(BlocksOf(table, part), 0u);
  EXPECT_EQ(PartStatement(table, ChunkAt(table, part, 0)), table.select);
}

TEST(Parts, WhatIsLookedAtOnceMoreCountsNoBlocks) {
  PlannedTable table = Table(4000);
  table.before = {.storage = "f", .since = 7, .ranges = {{0, 3000}}};
  const std::vector<TablePart> parts = SplitTables({table}, {.sessions = 2});
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(BlocksOf(table, parts[0]), 0u);
  EXPECT_EQ(ChunkAt(table, parts[0], 0).blocks, (BlockRange{0, 3000}));
  EXPECT_EQ(BlocksOf(table, parts[1]), 1000u);
}

// What was read is looked at once more for what has changed; the cuts are those of a whole table.
TEST(Parts, WhatIsLeftAfterAnInterruption) {
  PlannedTable table = Table(4000);
  table.before = {.storage = "f", .since = (uint64_t{1} << 32) + 7, .ranges = {{0, 1000}}};
  const std::string changed =
      " AND (xmin::pg_catalog.text::pg_catalog.int8 - 7 + 4294967296) % 4294967296 < 2147483648";
  EXPECT_THAT(
      Statements(table, {.sessions = 2}),
      ElementsAre(
          " WHERE ctid >= '(0,0)'::pg_catalog.tid AND ctid < '(1000,0)'::pg_catalog.tid" + changed,
          " WHERE ctid >= '(1000,0)'::pg_catalog.tid AND ctid < '(2000,0)'::pg_catalog.tid",
          " WHERE ctid >= '(2000,0)'::pg_catalog.tid"));
}

TEST(Parts, SmallOnesAreAThousandthOrAMegabyte) {
  EXPECT_EQ(SplitTables({Table(128)}, {.small = true}).size(), 1u);
  EXPECT_EQ(SplitTables({Table(10240)}, {.small = true}).size(), 80u);
  EXPECT_EQ(SplitTables({Table(100'000'000)}, {.small = true}).size(), 1000u);
}

}  // namespace
}  // namespace walduct::snapshot
