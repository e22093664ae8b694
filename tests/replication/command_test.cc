#include <gtest/gtest.h>

#include "replication/options.h"
#include "replication/publication/publication_sql.h"
#include "replication/start_command.h"

namespace walduct::replication {
namespace {

ReplicationOptions Slot(const std::string& name) {
  ReplicationOptions options;
  options.slot_name = name;
  return options;
}

TEST(StartCommandTest, QuotesThePublicationTwice) {
  EXPECT_EQ(StartReplicationCommand(Slot("s"), "My \"pub's\"", Lsn(0x100000002), 150000),
            "START_REPLICATION SLOT \"s\" LOGICAL 1/2 (\"proto_version\" '1', "
            "\"publication_names\" '\"My \"\"pub''s\"\"\"', \"messages\" 'true')");
}

TEST(StartCommandTest, AsksForMessagesFromPostgreSQL14On) {
  EXPECT_EQ(StartReplicationCommand(Slot("s"), "p", Lsn(), 130000),
            "START_REPLICATION SLOT \"s\" LOGICAL 0/0 (\"proto_version\" '1', "
            "\"publication_names\" '\"p\"')");
}

TEST(StartCommandTest, OwnParametersReplaceConfiguredOnes) {
  ReplicationOptions options = Slot("s");
  options.stream_params = {{"origin", "none"}, {"proto_version", "4"}};
  EXPECT_EQ(StartReplicationCommand(options, "p", Lsn(), 130000),
            "START_REPLICATION SLOT \"s\" LOGICAL 0/0 (\"origin\" 'none', \"proto_version\" '1', "
            "\"publication_names\" '\"p\"')");
}

TEST(StartCommandTest, TransactionsInProgressFromPostgreSQL15On) {
  ReplicationOptions options = Slot("s");
  options.stream_in_progress = true;
  options.stream_params = {{"streaming", "parallel"}};
  EXPECT_EQ(StartReplicationCommand(options, "p", Lsn(), 150000),
            "START_REPLICATION SLOT \"s\" LOGICAL 0/0 (\"proto_version\" '2', "
            "\"streaming\" 'on', \"publication_names\" '\"p\"', \"messages\" 'true')");
  options.stream_params.clear();
  EXPECT_EQ(StartReplicationCommand(options, "p", Lsn(), 140010),
            "START_REPLICATION SLOT \"s\" LOGICAL 0/0 (\"proto_version\" '1', "
            "\"publication_names\" '\"p\"', \"messages\" 'true')");
}

TEST(CreateSlotCommandTest, FollowsTheServersGrammar) {
  EXPECT_EQ(CreateSlotCommand(Slot("123"), 140000, false),
            "CREATE_REPLICATION_SLOT \"123\" LOGICAL pgoutput EXPORT_SNAPSHOT");
  EXPECT_EQ(CreateSlotCommand(Slot("s"), 150000, false),
            "CREATE_REPLICATION_SLOT \"s\" LOGICAL pgoutput (SNAPSHOT 'export')");
}

TEST(CreateSlotCommandTest, SLT12_FailoverOnlyWhereTheServerHasIt) {
  ReplicationOptions options = Slot("s");
  options.failover_slot = true;
  EXPECT_EQ(CreateSlotCommand(options, 170000, false),
            "CREATE_REPLICATION_SLOT \"s\" LOGICAL pgoutput (SNAPSHOT 'export', FAILOVER true)");
  EXPECT_EQ(CreateSlotCommand(options, 170000, true),
            "CREATE_REPLICATION_SLOT \"s\" LOGICAL pgoutput (SNAPSHOT 'export')");
  EXPECT_EQ(CreateSlotCommand(options, 160000, false),
            "CREATE_REPLICATION_SLOT \"s\" LOGICAL pgoutput (SNAPSHOT 'export')");
  options.temporary_slot = true;
  EXPECT_EQ(CreateSlotCommand(options, 170000, false),
            "CREATE_REPLICATION_SLOT \"s\" TEMPORARY LOGICAL pgoutput (SNAPSHOT 'export')");
}

PublishedTable Table(uint32_t oid, const std::string& name) {
  return {.relation = Oid{oid}, .schema = "public", .table = name};
}

PublicationWish Filtered(std::vector<PublishedTable> tables) {
  PublicationWish wish;
  wish.mode = PublicationAutocreate::kFiltered;
  wish.tables = std::move(tables);
  return wish;
}

PublicationState Existing(std::vector<PublishedTable> tables) {
  PublicationState state;
  state.name = "p";
  state.operations = {"insert", "update", "delete", "truncate"};
  state.tables = std::move(tables);
  return state;
}

TEST(PublicationSqlTest, PUB01_AllTables) {
  PublicationWish wish;
  wish.mode = PublicationAutocreate::kAllTables;
  EXPECT_EQ(CreatePublicationSql("My_Pub", wish), "CREATE PUBLICATION \"My_Pub\" FOR ALL TABLES");
}

TEST(PublicationSqlTest, PUB02_FilteredQuotesEveryName) {
  EXPECT_EQ(CreatePublicationSql("p", Filtered({Table(1, "a\"b"), Table(2, "c.d")})),
            "CREATE PUBLICATION \"p\" FOR TABLE \"public\".\"a\"\"b\", \"public\".\"c.d\"");
}

TEST(PublicationSqlTest, ParentsArePublishedWithoutTheirChildren) {
  PublishedTable parent = Table(1, "parent");
  parent.has_children = true;
  EXPECT_EQ(CreatePublicationSql("p", Filtered({parent})),
            "CREATE PUBLICATION \"p\" FOR TABLE ONLY \"public\".\"parent\"");
}

// The configuration may say nothing of roots: the publication was made by hand, and so it is again.
TEST(PublicationSqlTest, WhatIsTypedSendsRowsOfPartitionsThatNobodyCapturesByTheirRoot) {
  PublishedTable root = Table(1, "ev");
  root.needs_root = true;
  PublicationWish wish = Filtered({Table(2, "a"), root});
  EXPECT_EQ(CreatePublicationHint("p", wish),
            "CREATE PUBLICATION \"p\" FOR TABLE \"public\".\"a\", \"public\".\"ev\" WITH "
            "(publish_via_partition_root = true)");
  EXPECT_EQ(CreatePublicationSql("p", wish),
            "CREATE PUBLICATION \"p\" FOR TABLE \"public\".\"a\", \"public\".\"ev\"");
  wish.tables.resize(1);
  EXPECT_EQ(CreatePublicationHint("p", wish),
            "CREATE PUBLICATION \"p\" FOR TABLE \"public\".\"a\"");
}

TEST(PublicationSqlTest, PUB07_NoTables) {
  PublicationWish wish;
  wish.mode = PublicationAutocreate::kNoTables;
  wish.via_partition_root = true;
  wish.operations = {{"insert", "update"}};
  EXPECT_EQ(CreatePublicationSql("p", wish),
            "CREATE PUBLICATION \"p\" WITH (publish_via_partition_root = true, publish = 'insert, "
            "update')");
}

TEST(PublicationSqlTest, PUB04_NothingToAlter) {
  EXPECT_EQ(AlterPublicationSql(Existing({Table(1, "a"), Table(2, "b")}),
                                Filtered({Table(2, "b"), Table(1, "a")})),
            "");
}

TEST(PublicationSqlTest, PUB03_AddsAndDropsOnlyWhatDiffers) {
  EXPECT_EQ(AlterPublicationSql(Existing({Table(1, "a"), Table(2, "b")}),
                                Filtered({Table(2, "b"), Table(3, "c")})),
            "ALTER PUBLICATION \"p\" ADD TABLE \"public\".\"c\"; ALTER PUBLICATION \"p\" DROP "
            "TABLE \"public\".\"a\"");
}

TEST(PublicationSqlTest, PUB15_PublishHasAStatementOfItsOwn) {
  PublicationWish wish = Filtered({Table(1, "a")});
  wish.operations = {{"update", "insert"}};
  EXPECT_EQ(AlterPublicationSql(Existing({Table(1, "a")}), wish),
            "ALTER PUBLICATION \"p\" SET (publish = 'update, insert')");
  wish.operations = {{"truncate", "delete", "update", "insert"}};
  EXPECT_EQ(AlterPublicationSql(Existing({Table(1, "a")}), wish), "");
}

TEST(PublicationSqlTest, PUB29_PartitionRootIsSwitchedOnButNeverOff) {
  PublicationWish wish = Filtered({});
  wish.via_partition_root = true;
  EXPECT_EQ(AlterPublicationSql(Existing({}), wish),
            "ALTER PUBLICATION \"p\" SET (publish_via_partition_root = true)");
  PublicationState state = Existing({});
  state.via_partition_root = true;
  EXPECT_EQ(AlterPublicationSql(state, wish), "");
  EXPECT_EQ(AlterPublicationSql(state, Filtered({})), "");
}

TEST(PublicationSqlTest, TablesOfAPublishedSchemaNeedNoEntry) {
  PublicationState state = Existing({});
  state.schemas = {"public"};
  EXPECT_EQ(AlterPublicationSql(state, Filtered({Table(1, "a")})), "");
}

TEST(PublicationSqlTest, DisabledNeverAlters) {
  PublicationWish wish = Filtered({Table(1, "a")});
  wish.mode = PublicationAutocreate::kDisabled;
  wish.via_partition_root = true;
  EXPECT_EQ(AlterPublicationSql(Existing({}), wish), "");
}

TEST(PublicationSqlTest, TruncateIsUnknownBeforePostgreSQL11) {
  EXPECT_EQ(SplitOperations("insert, truncate", 100000), (std::vector<std::string>{"insert"}));
  EXPECT_EQ(SplitOperations("insert, truncate", 110000),
            (std::vector<std::string>{"insert", "truncate"}));
}

}  // namespace
}  // namespace walduct::replication
