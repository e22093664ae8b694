#include "recover/commit_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/escaping.h"
#include "tests/recover/commit_builder.h"

namespace walduct::recover {
namespace {

using testing::ElementsAre;

// Data of commits as PostgreSQL 17 has written them: ALTER TABLE … RENAME COLUMN, CREATE TABLE with
// a primary key, ANALYZE.
constexpr char kRenamed[] =
    "bfa651a57704030049000000004000007f060000040000000768bbf10040000015427c74795500000668"
    "bbf100400000cc76720d795500000668bbf1004000003a746fd979550000fe0400000040000004400000"
    "79550000";
constexpr char kCreated[] =
    "e0b5cd9b7704030049000000004000007f060000270000005000000000400000c50a3ce2795500004f00"
    "00000040000080d447ca795500005000000000400000baa97a71795500004f00000000400000d6beb818"
    "795500003700000000400000c67f250979550000360000000040000080d447ca79550000070000000040"
    "000097c80d477955000006000000004000000fcc1793795500000700000000400000f679e6fd79550000"
    "06000000004000003bf9052179550000070000000040000047464af879550000060000000040000073e7"
    "b3d6795500000700000000400000bf7be69c7955000006000000004000009338f3e67955000007000000"
    "004000006c93843f7955000006000000004000000488336a7955000007000000004000008cc061a97955"
    "0000060000000040000071df8ab279550000070000000040000055316476795500000600000000400000"
    "d303fb1579550000070000000040000004b7b1497955000006000000004000008279507e795500003700"
    "00000040000023fd044c79550000360000000040000066a7bf5c795500000700000000400000724a2c02"
    "795500000600000000400000ea4e36d679550000200000000040000023fd044c79550000130000000040"
    "00008c68ee93795500003700000000400000c67f250979550000360000000040000080d447ca79550000"
    "370000000040000023fd044c79550000360000000040000066a7bf5c79550000fb388d9700400000300a"
    "000000000000fe040000004000001f40000079550000fe040000004000002240000079550000feceebb3"
    "004000001f40000000000000fb388d9700400000300a000000000000fe040000004000001f4000007955"
    "0000fe040000004000002240000079550000";
constexpr char kAnalyzed[] =
    "391c1ea37704030009000000004000007f060000040000003300000000400000633437ee795500003200"
    "0000004000005550021679550000fb728d9700400000300a000000000000feceebb30040000075400000"
    "00000000";

CommitRecord FromHex(const char* hex) {
  return ReadCommit(absl::HexStringToBytes(hex), /*has_info=*/true, 17);
}

TEST(CommitRecordTest, AsPostgreSQLWritesThem) {
  EXPECT_EQ(FromHex(kRenamed).database, 16384u);
  EXPECT_TRUE(FromHex(kRenamed).alters);
  EXPECT_FALSE(FromHex(kCreated).alters);
  EXPECT_FALSE(FromHex(kAnalyzed).alters);
}

TEST(CommitRecordTest, HashesAreThoseOfTheServer) {
  EXPECT_EQ(HashOfIndex(16384), 0x53085746u);
  EXPECT_EQ(HashOfAttribute(16384, -1), 0xA2676EC7u);
  EXPECT_EQ(HashOfAttribute(16384, 3), 0xA3BC70C3u);
}

class CommitOfTest : public testing::TestWithParam<int> {
 protected:
  static CommitBuilder Commit() { return CommitBuilder(GetParam()); }
  static bool Alters(const CommitBuilder& commit) {
    return ReadCommit(commit.Data(), /*has_info=*/true, GetParam()).alters;
  }
};

INSTANTIATE_TEST_SUITE_P(Versions, CommitOfTest, testing::Values(16, 17, 18));

TEST_P(CommitOfTest, WhatWasThereAndIsAnotherThing) {
  EXPECT_TRUE(Alters(Commit().Column(20000, 3)));
  EXPECT_TRUE(Alters(Commit().Table(20001).Column(20000, 1)));       // beside one that is made
  EXPECT_TRUE(Alters(Commit().Relation(20000).Index(20005)));        // CREATE INDEX
  EXPECT_TRUE(Alters(Commit().Table(20000).Index(20005).Files(2)));  // DROP TABLE
  EXPECT_TRUE(Alters(Commit().Label()));                             // ALTER TYPE … ADD VALUE
  EXPECT_TRUE(Alters(Commit().Type()));                              // ALTER DOMAIN
  EXPECT_TRUE(Alters(Commit().Relation(20000).Message(GetParam() >= 18 ? 34 : 32, 7)));
}

TEST_P(CommitOfTest, WhatWasNotThereOrIsTheSame) {
  EXPECT_FALSE(Alters(Commit()));
  EXPECT_FALSE(Alters(Commit().Table(20000).Index(20005)));  // CREATE TABLE
  EXPECT_FALSE(Alters(Commit().Table(20000).Table(20002).Index(20003).Index(20005)));
  EXPECT_FALSE(
      Alters(Commit().Table(20000).Index(20005).Statistics(1)));  // of a temporary one: DROP
  EXPECT_FALSE(Alters(Commit().Relation(20000).Relation(20005).Files(2)));  // TRUNCATE
  EXPECT_FALSE(Alters(Commit().Relation(20000).Message(63, 9)));            // ANALYZE
  EXPECT_FALSE(Alters(Commit().Message(-2, 0).Message(7, 1)));              // of no one table
}

// Whether it is locked is in other records.
TEST_P(CommitOfTest, ACatalogBesideATable) {
  CommitBuilder both = Commit();
  both.Relation(1247).Column(20000, 1);
  const CommitRecord commit = ReadCommit(both.Data(), /*has_info=*/true, GetParam());
  EXPECT_TRUE(commit.alters && commit.of_catalogs);
  EXPECT_FALSE(Alters(Commit().Relation(1247)));
  EXPECT_FALSE(ReadCommit(Commit().Column(20000, 1).Data(), true, GetParam()).of_catalogs);
}

TEST_P(CommitOfTest, WhatAllDatabasesShare) {
  CommitBuilder roles = Commit();
  EXPECT_FALSE(Alters(roles.Message(-2, 20000, 0).Message(7, 1, 0)));
}

TEST_P(CommitOfTest, PartsStandInTheirOrder) {
  CommitBuilder all = Commit();
  all.Subtransactions({701, 702}).Files(3).Statistics(2).Prepared(700).Column(20000, 1);
  const CommitRecord commit = ReadCommit(all.Data(), /*has_info=*/true, GetParam());
  EXPECT_EQ(commit.database, 5u);
  EXPECT_THAT(commit.subtransactions, ElementsAre(Xid(701), Xid(702)));
  EXPECT_EQ(commit.prepared, Xid(700));
  EXPECT_TRUE(commit.alters);
  // Without what alters.
  CommitBuilder none = Commit();
  none.Subtransactions({701}).Files(3).Statistics(2).Prepared(700).Relation(20000);
  EXPECT_FALSE(ReadCommit(none.Data(), /*has_info=*/true, GetParam()).alters);
}

TEST(CommitRecordTest, OneThatCannotBeRead) {
  const std::string data = CommitBuilder().Relation(20000).Relation(20001).Data();
  EXPECT_FALSE(ReadCommit(data, /*has_info=*/true, 17).alters);
  for (size_t bytes = 0; bytes < data.size(); ++bytes)
    EXPECT_TRUE(ReadCommit(data.substr(0, bytes), /*has_info=*/true, 17).alters) << bytes;
  EXPECT_FALSE(ReadCommit(data.substr(0, 8), /*has_info=*/false, 17).alters);
}

}  // namespace
}  // namespace walduct::recover
