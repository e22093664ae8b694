// Partitioned tables whose rows come under the names of partitions that nobody captures.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "slot/incremental/new_tables.h"
#include "slot/incremental/table_gaps.h"

namespace walduct::slot {
namespace {

// public.ev, as OID 1, which the publication names by 11.
class RowsOfRootsTest : public testing::Test {
 protected:
  static replication::Coverage By(bool root, uint32_t publication = 900) {
    replication::Coverage coverage = {.publication = Oid{publication},
                                      .settings = root ? "iudtr 800" : "iudt 700",
                                      .names_others = {Oid{11}},
                                      .tables = {}};
    coverage.tables[Oid{1}] = {
        .named_by = {Oid{11}}, .by_itself = true, .sent = root, .by_leaves = !root};
    return coverage;
  }
  std::vector<TableGap> Gaps(const KnownTables& known, const replication::Coverage& now) const {
    return FindGaps(known, true, captured_, now);
  }

  const std::vector<postgres::TableName> captured_ = {
      {.relation = Oid{1}, .schema = "public", .table = "ev", .partitioned = true}};
};

// As behind `walduct offsets reset`: nothing is known of it.
TEST_F(RowsOfRootsTest, WhatHasNeverComeLacksWhatCameUnderOtherNames) {
  const KnownTables away = KnowNow({}, captured_, By(false));
  EXPECT_EQ(DecodeKnownTables(EncodeKnownTables(away)), away);
  const auto gaps = Gaps(away, By(true));
  ASSERT_EQ(gaps.size(), 1u);
  EXPECT_EQ(gaps[0].kind, TableGap::Kind::kBack);
  EXPECT_TRUE(gaps[0].by_settings);
  EXPECT_THAT(Gaps(KnowNow(away, captured_, By(true)), By(true)), testing::IsEmpty());
}

TEST_F(RowsOfRootsTest, WhoReadsItAfterTheStatementHasReadIt) {
  const auto gaps = Gaps(KnowNow({}, captured_, By(false)), By(true));
  ASSERT_EQ(gaps.size(), 1u);
  incremental::TransactionView view;
  view.oldest = view.next_xid = view.quiet_oldest = 801;
  view.quiet = Oid{1};
  EXPECT_TRUE(EndedBefore(gaps[0], By(true), view));
  view.oldest = view.next_xid = view.quiet_oldest = 790;
  EXPECT_FALSE(EndedBefore(gaps[0], By(true), view));
}

TEST_F(RowsOfRootsTest, WhosePartitionsAreCapturedLacksNothing) {
  replication::Coverage leaves = By(false);
  leaves.tables[Oid{1}].by_leaves = false;
  EXPECT_THAT(KnowNow({}, captured_, leaves).tables, testing::IsEmpty());
}

// Known from before it, by one that sent rows by their root.
TEST_F(RowsOfRootsTest, APublicationThatWasMadeAnewWithoutTheSetting) {
  const KnownTables known = KnowNow({}, captured_, By(true));
  const KnownTables away = KnowNow(known, captured_, By(false, 901));
  EXPECT_EQ(Gaps(away, By(true, 901)).size(), 1u);
}

TEST_F(RowsOfRootsTest, APublicationThatWasMadeAnewWithoutTheTable) {
  const KnownTables known = KnowNow({}, captured_, By(true));
  replication::Coverage other = By(true, 901);
  other.tables[Oid{1}] = {.named_by = {}};
  const KnownTables away = KnowNow(known, captured_, other);
  EXPECT_EQ(Gaps(away, By(true, 901)).size(), 1u);
}

TEST_F(RowsOfRootsTest, NobodyIsAdvisedToTakeThemAwayAgain) {
  const KnownTables away = KnowNow({}, captured_, By(false));
  EXPECT_THAT(DescribeSettings(away, By(true), "iud"), testing::HasSubstr("other names"));
  EXPECT_EQ(SettingsBack(away, By(true), "pub"), "");
  EXPECT_EQ(SettingsBack(KnowNow({}, captured_, By(true)), By(false), "pub"),
            "ALTER PUBLICATION \"pub\" SET (publish_via_partition_root = true)");
}

// Nor is its topic missing: nobody has written to it yet.
TEST_F(RowsOfRootsTest, WhatHasNeverComeHasNoTopicThatWasDeleted) {
  std::vector<std::string> lacks;
  Ledger ledger;
  const auto tables =
      NewTables::Create({.lists = "all",
                         .signal_table = "",
                         .lacks =
                             [&lacks](const replication::CaptureFinding& finding) {
                               lacks.push_back(finding.reason);
                               return true;
                             },
                         .ledger = &ledger,
                         .without_topic = captured_},
                        captured_, EncodeKnownTables(KnowNow({}, captured_, By(false))));
  tables->Begin(By(false));
  EXPECT_THAT(lacks, testing::IsEmpty());
  tables->Saw(captured_, By(true), {});
  EXPECT_THAT(lacks, testing::ElementsAre("table_was_not_published"));
}

}  // namespace
}  // namespace walduct::slot
