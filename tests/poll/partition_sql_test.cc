// Which rows keep a partition from being dropped.
#include "poll/rows/partition_sql.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace walduct::poll {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

OutboxTable TableOf(const std::string& open, const std::string& mark) {
  OutboxTable table{
      .name = "\"public\".\"outbox\"",
      .columns = {
          {"published_at", "timestamp with time zone"}, {"status", "text"}, {"xact", "xid8"}}};
  table.relation = Oid{16384};
  table.layout.open = open;
  table.layout.mark = mark;
  return table;
}

std::string DropOf(const OutboxTable& table) {
  return DropSql(table, {.oid = "16390", .name = "public.\"it's $walduct$\""}, "740:750:745");
}

TEST(PartitionSql, OneThatIsNotPublishedDoes) {
  const OutboxTable marked = TableOf("{publishedat} IS NULL", "{publishedat} = now()");
  EXPECT_THAT(DropOf(marked),
              AllOf(HasSubstr("o WHERE o.\"published_at\" IS NULL)"),
                    HasSubstr("LOCK TABLE ONLY public.\"it''s $walduct$\" IN SHARE"),
                    Not(HasSubstr("{{"))));
  EXPECT_THAT(PastPartitionsSql(marked, absl::Hours(1)),
              AllOf(HasSubstr("pg_partition_tree(16384)"), HasSubstr("3600000 * interval '1 ms'"),
                    Not(HasSubstr("{{"))));
}

TEST(PartitionSql, SoDoesOneOfAStateThatNobodyKnowsOrHasGivenUp) {
  OutboxTable table = TableOf("{status} = 'NEW'", "{status} = 'PUBLISHED'");
  table.layout.aside = "{status} = 'FAILED'";
  EXPECT_THAT(DropOf(table), HasSubstr("o WHERE (o.\"status\" = ''NEW'') IS NOT FALSE OR "
                                       "o.\"status\" = ''FAILED'')"));
}

TEST(PartitionSql, WherePublishedRowsAreGoneAnyRowDoes) {
  EXPECT_THAT(DropOf(TableOf("{publishedat} IS NULL", "")), HasSubstr("o WHERE true)"));
  OutboxTable moved = TableOf("{publishedat} IS NULL", "{publishedat} = now()");
  moved.archive = "\"public\".\"outbox_archive\"";
  EXPECT_THAT(DropOf(moved), HasSubstr("o WHERE true)"));
}

TEST(PartitionSql, WithAPositionOneThatItHasNotSeenDoes) {
  OutboxTable table = TableOf("true", "");
  table.layout.xact = "{xact}";
  EXPECT_THAT(DropOf(table),
              HasSubstr("o.\"xact\" >= pg_catalog.pg_snapshot_xmin(''740:750:745''::pg_catalog."
                        "pg_snapshot) AND NOT pg_catalog.pg_visible_in_snapshot(o.\"xact\", "));
}

}  // namespace
}  // namespace walduct::poll
