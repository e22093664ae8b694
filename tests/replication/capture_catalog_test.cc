#include "replication/capture/capture_catalog.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "postgres/oid_text.h"
#include "postgres/options.h"
#include "replication/capture/capture_map.h"
#include "replication/capture/follow.h"
#include "tests/support/postgres_server.h"

namespace walduct::replication {
namespace {

using test_servers::MustOpen;
using test_servers::MustQuery;
using test_servers::PostgresServer;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class CaptureCatalogTest : public testing::Test {
 protected:
  void Run(absl::string_view sql) { MustQuery(*session_, sql); }
  CaptureFacts Facts() { return *ReadCaptureFacts(*session_, {"pub"}); }
  Oid OidOf(const std::string& table) {
    return postgres::ParseOid(MustQuery(*session_, "SELECT '" + table + "'::regclass::oid"));
  }
  // Whether the mark says that something has changed.
  bool Marks(absl::string_view sql) {
    const std::string before = *ReadCaptureMark(*session_);
    Run(sql);
    return *ReadCaptureMark(*session_) != before;
  }
  FollowResult Add(const std::vector<std::string>& names) {
    std::vector<PublishedTable> tables;
    for (const std::string& name : names)
      tables.push_back({.relation = OidOf(name), .schema = "public", .table = name});
    return *AddToPublication(*session_, "pub", tables, [] { return false; });
  }

  // The tests' own statements name tables without their schema.
  std::unique_ptr<postgres::Connection> Open() {
    auto session = MustOpen(database_);
    MustQuery(*session, "SET search_path = public");
    return session;
  }

  postgres::DatabaseOptions database_ = PostgresServer::Shared().CreateDatabase();
  std::unique_ptr<postgres::Connection> session_ = Open();
};

TEST_F(CaptureCatalogTest, WhatTheRoleOwnsIsKnown) {
  Run("CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE b (id int PRIMARY KEY);"
      "CREATE PUBLICATION pub FOR TABLE a; DROP ROLE IF EXISTS capture_reader;"
      "CREATE ROLE capture_reader LOGIN PASSWORD 'x'; ALTER TABLE b OWNER TO capture_reader");
  postgres::DatabaseOptions database = database_;
  database.user = "capture_reader";
  database.password = "x";
  const auto reader = MustOpen(database);
  const CaptureFacts facts = *ReadCaptureFacts(*reader, {"pub"});
  EXPECT_FALSE(facts.publications.front().owned);
  EXPECT_FALSE(facts.publications.front().on_standby);
  EXPECT_FALSE(CaptureMap(facts).Find("public.a")->owned);
  EXPECT_TRUE(CaptureMap(facts).Find("public.b")->owned);
  // A superuser may do all of it.
  EXPECT_TRUE(Facts().publications.front().owned);
  EXPECT_TRUE(CaptureMap(Facts()).Find("public.b")->owned);
  Run("DROP OWNED BY capture_reader; DROP ROLE capture_reader");
}

TEST_F(CaptureCatalogTest, ReadsWhatDecides) {
  Run("CREATE TABLE a (id int PRIMARY KEY, v int); CREATE TABLE b (id int); CREATE TABLE f (id "
      "int);"
      "ALTER TABLE f REPLICA IDENTITY FULL; CREATE UNLOGGED TABLE u (id int PRIMARY KEY);"
      "CREATE TABLE n (id int PRIMARY KEY); ALTER TABLE n REPLICA IDENTITY NOTHING;"
      "CREATE TABLE d (id int, PRIMARY KEY (id) DEFERRABLE); CREATE TEMP TABLE passing (id int);"
      "CREATE TABLE r (id int PRIMARY KEY) PARTITION BY LIST (id);"
      "CREATE TABLE r1 PARTITION OF r FOR VALUES IN (1); CREATE VIEW seen AS SELECT 1;"
      "CREATE PUBLICATION pub FOR TABLE a, r WITH (publish = 'insert, delete')");
  const CaptureFacts facts = Facts();
  const PublicationFacts& pub = facts.publications.front();
  EXPECT_TRUE(pub.exists && pub.inserts && pub.deletes);
  EXPECT_FALSE(pub.updates || pub.truncates || pub.via_root || pub.all_tables);
  EXPECT_EQ(pub.members.size(), 2u);
  const CaptureMap map(facts);
  EXPECT_EQ(facts.tables.size(), 8u) << "neither the view nor the temporary table";
  EXPECT_EQ(map.Find("public.a")->identity, SentIdentity::kKey);
  EXPECT_EQ(map.Find("public.b")->identity, SentIdentity::kNone);
  EXPECT_EQ(map.Find("public.d")->identity, SentIdentity::kNone) << "its key is deferrable";
  EXPECT_FALSE(map.Find("public.d")->has_key);
  EXPECT_EQ(map.Find("public.n")->identity, SentIdentity::kNone);
  EXPECT_TRUE(map.Find("public.n")->has_key);
  EXPECT_EQ(map.Find("public.f")->identity, SentIdentity::kFull);
  EXPECT_TRUE(map.Find("public.u")->unlogged);
  EXPECT_EQ(map.Find("public.r1")->parent, OidOf("r"));
  EXPECT_EQ(map.SentAs(*map.Find("public.r1"), pub), map.Find("public.r1"));
  EXPECT_EQ(map.SentAs(*map.Find("public.b"), pub), nullptr);
  Run("ALTER PUBLICATION pub SET (publish_via_partition_root)");
  const CaptureFacts by_root = Facts();
  const CaptureMap roots(by_root);
  EXPECT_EQ(roots.SentAs(*roots.Find("public.r1"), by_root.publications.front()),
            roots.Find("public.r"));
  EXPECT_FALSE(ReadCaptureFacts(*session_, {"other"})->publications.front().exists);
}

TEST_F(CaptureCatalogTest, TheMarkChangesWithWhatDecides) {
  Run("CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE leaf (id int PRIMARY KEY);"
      "CREATE TABLE r (id int PRIMARY KEY) PARTITION BY LIST (id); CREATE PUBLICATION pub");
  for (const char* sql :
       {"ALTER PUBLICATION pub ADD TABLE a", "ALTER TABLE a REPLICA IDENTITY FULL",
        "ALTER TABLE r ATTACH PARTITION leaf FOR VALUES IN (1)", "ALTER TABLE a RENAME TO b",
        "CREATE TABLE a (id int PRIMARY KEY)", "ALTER TABLE b DROP CONSTRAINT a_pkey",
        "ALTER PUBLICATION pub SET (publish = 'insert')", "ALTER PUBLICATION pub DROP TABLE b",
        "CREATE SCHEMA s", "ALTER SCHEMA s RENAME TO t", "ALTER TABLE b SET SCHEMA t",
        "DROP TABLE a", "DROP PUBLICATION pub"})
    EXPECT_TRUE(Marks(sql)) << sql;
  Run("CREATE TABLE w (id int PRIMARY KEY)");
  for (const char* sql : {"SELECT 1", "INSERT INTO w VALUES (1)", "ANALYZE", "VACUUM"})
    EXPECT_FALSE(Marks(sql)) << sql;
}

TEST_F(CaptureCatalogTest, WritersUntilTheyEnd) {
  Run("CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE b (id int PRIMARY KEY)");
  const std::vector<Oid> tables = {OidOf("a")};
  const auto writer = Open(), reader = Open();
  MustQuery(*reader, "BEGIN; SELECT * FROM a");
  EXPECT_THAT(*ReadWriters(*session_, tables), IsEmpty()) << "who reads is none";
  MustQuery(*writer, "BEGIN; INSERT INTO a VALUES (1)");
  const std::set<std::string> writers = *ReadWriters(*session_, tables);
  EXPECT_EQ(writers.size(), 1u);
  EXPECT_THAT(*ReadWriters(*session_, {OidOf("b")}), IsEmpty());
  EXPECT_EQ(*StillRunning(*session_, writers, tables), writers);
  MustQuery(*writer, "COMMIT");
  MustQuery(*writer, "BEGIN; INSERT INTO a VALUES (2)");
  EXPECT_THAT(*StillRunning(*session_, writers, tables), IsEmpty()) << "the next one is another";
  MustQuery(*writer, "COMMIT");
  MustQuery(*reader, "COMMIT");
}

TEST_F(CaptureCatalogTest, ALockedTableKeepsNoOtherOut) {
  Run("CREATE TABLE a (id int PRIMARY KEY); CREATE TABLE b (id int PRIMARY KEY);"
      "CREATE TABLE c (id int PRIMARY KEY); CREATE PUBLICATION pub FOR TABLE c");
  const auto other = Open();
  MustQuery(*other, "BEGIN; LOCK TABLE a IN SHARE UPDATE EXCLUSIVE MODE");
  const FollowResult result = Add({"a", "b", "c"});
  ASSERT_EQ(result.added.size(), 1u);
  EXPECT_EQ(result.added[0].table, "b");
  ASSERT_EQ(result.refused.size(), 1u) << "c is in it already, which is as good";
  EXPECT_EQ(result.refused[0].table, "public.a");
  EXPECT_FALSE(result.refused[0].for_good);
  MustQuery(*other, "COMMIT");
  EXPECT_EQ(Add({"a"}).added.size(), 1u);
}

}  // namespace
}  // namespace walduct::replication
