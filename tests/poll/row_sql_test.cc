// SQL about rows that could not be published, by what a table can say of them.
#include "poll/rows/row_sql.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace walduct::poll {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr char kAt[] = "timestamp with time zone";

LayoutRequest Tries(int64_t most, bool deletes = false) {
  LayoutRequest request;
  request.max_attempts = most;
  request.deletes = deletes;
  return request;
}

OutboxTable Table(std::vector<LayoutColumn> more, const LayoutRequest& how = {}) {
  OutboxTable table{.name = "\"public\".\"outbox\"",
                    .columns = {{"id", "bigint", false},
                                {"Aggregate_Id", "text"},
                                {"payload", "jsonb"},
                                {"event_type", "text"}},
                    .key_names = {"\"id\""},
                    .key_types = {"bigint"}};
  for (LayoutColumn& column : more) table.columns.push_back(std::move(column));
  LayoutRequest request = how;
  request.table = "public.outbox";
  request.columns = table.columns;
  table.layout = RecogniseLayout(request).value();
  return table;
}

std::vector<LayoutColumn> Counted(bool nullable_due) {
  return {{"published_at", kAt},
          {"attempts", "integer"},
          {"last_error", "character varying", true, "", "character varying(20)"},
          {"next_try_at", kAt, nullable_due}};
}

TEST(ClaimSql, LocksOnlyRowsThatSomebodyHasTouched) {
  OutboxTable table = Table({{"published_at", kAt}});
  table.schema = std::make_shared<event::TableSchema>();
  EXPECT_THAT(table.ClaimSql(""),
              AllOf(HasSubstr("o.xmax = '0'::xid AS walduct_untouched"),
                    HasSubstr("s.walduct_untouched OR coalesce((SELECT true FROM "
                              "\"public\".\"outbox\" o WHERE o.\"id\" = s.\"id\" AND "
                              "o.\"published_at\" IS NULL FOR NO KEY UPDATE OF o SKIP LOCKED), "
                              "false)")));
  table.key_names.push_back("part");
  EXPECT_THAT(table.ClaimSql(""), HasSubstr("WHERE o.\"id\" = s.\"id\" AND o.part = s.part AND"));
}

TEST(ClaimSql, LooksBeforeInAndBehindWhatIsLeftOut) {
  OutboxTable table = Table({{"published_at", kAt}});
  table.schema = std::make_shared<event::TableSchema>();
  ASSERT_TRUE(table.has_ranges());
  EXPECT_THAT(
      table.ClaimSql("", {.waits = true, .beside = ClaimForm::Beside::kRange, .from = true}),
      AllOf(HasSubstr("o.\"id\" >= $6::bigint"), HasSubstr("o.\"id\" < $3::bigint ORDER BY"),
            HasSubstr("o.\"id\" = ANY ((SELECT $5::bigint[])::bigint[])"),
            HasSubstr("o.\"id\" > $4::bigint ORDER BY")));
}

TEST(Done, ARangeIsOfAnIntegerThatIsThePrimaryKey) {
  OutboxTable table = Table({{"published_at", kAt}});
  EXPECT_THAT(table.Done(OutboxTable::Chosen::kRange).sql,
              HasSubstr("WHERE o.\"id\" >= (SELECT $1::bigint) AND o.\"id\" <= (SELECT $2::bigint) "
                        "AND o.\"id\" <> ALL ($3::bigint[]) AND o.\"published_at\" IS NULL"));
  table.key_types = {"uuid"};
  EXPECT_FALSE(table.has_ranges());
  table.key_types = {"integer"};
  EXPECT_TRUE(table.has_ranges());
  table.layout.order = "{publishedat}";
  EXPECT_FALSE(table.has_ranges()) << "a claim's rows do not follow each other by id";
  table.layout.order = "";
  table.key_names.push_back("part");
  table.key_types.push_back("date");
  EXPECT_FALSE(table.has_ranges()) << "an id may be there twice";
}

TEST(LowWaterSql, IsOfTablesWhoseOrderIsANumberThatRises) {
  OutboxTable table = Table({{"published_at", kAt}});
  EXPECT_FALSE(table.has_low_water()) << "writers choose the numbers";
  table.rises = true;
  EXPECT_TRUE(table.has_low_water());
  table.layout.order = "{publishedat}";
  EXPECT_FALSE(table.has_low_water()) << "a time is that of its transaction's start";
}

TEST(LowWaterSql, AsksForAllWritersWhereTheyCanTakeNumbersThemselves) {
  OutboxTable table = Table({{"published_at", kAt}});
  EXPECT_THAT(table.LowWaterSql(""), AllOf(HasSubstr("RowExclusiveLock"), HasSubstr("_xip(")));
  table.numbers_itself = true;
  EXPECT_THAT(table.LowWaterSql(""), AllOf(HasSubstr("RowExclusiveLock"), Not(HasSubstr("_xip("))));
}

TEST(RowSql, ARetryTakesBackWhatAnAttemptHasWritten) {
  EXPECT_EQ(
      RetrySql(Table(Counted(true), Tries(3))),
      "WITH changed AS (UPDATE \"public\".\"outbox\" o SET \"attempts\" = 0, \"next_try_at\" = "
      "NULL WHERE o.\"id\" = ANY ($1::text[]::bigint[]) RETURNING 1) SELECT count(*) FROM "
      "changed");
  EXPECT_THAT(RetrySql(Table(Counted(false), Tries(3))), HasSubstr("\"next_try_at\" = now()"));
}

TEST(RowSql, ParkingUsesTheAttemptsUpAndCutsTheReason) {
  const OutboxTable table = Table(Counted(true), Tries(3));
  EXPECT_TRUE(KeepsFailed(table));
  EXPECT_THAT(ParkSql(table, 3),
              HasSubstr("SET \"attempts\" = greatest(coalesce(o.\"attempts\", 0), 3), "
                        "\"last_error\" = $2::text::character varying(20) WHERE"));
  EXPECT_THAT(FailedRowsSql(table, "tenant = 5"),
              HasSubstr("AND (tenant = 5) ORDER BY o.\"id\", o.\"id\" LIMIT $1::bigint"));
  EXPECT_THAT(NamedRowsSql(table, "", true), HasSubstr("FOR NO KEY UPDATE OF o SKIP LOCKED"));
  EXPECT_THAT(NamedRowsSql(table, "", false), Not(HasSubstr("FOR NO KEY UPDATE")));
}

TEST(RowSql, AStatusOfRowsThatAreGivenUpIsTheirState) {
  const OutboxTable table = Table({{"status", "text"}, {"published_at", kAt}}, Tries(3));
  EXPECT_TRUE(KeepsFailed(table));
  EXPECT_THAT(RetrySql(table), HasSubstr("SET \"status\" = 'NEW' WHERE"));
  EXPECT_THAT(ParkSql(table, 3), HasSubstr("SET \"status\" = 'FAILED' WHERE"));
  EXPECT_THAT(FailedRowsSql(table, ""), HasSubstr("coalesce(o.\"status\" = 'FAILED', false)"));
  EXPECT_THAT(OvertakenSql(table), HasSubstr("AND NOT coalesce(p.\"status\" = 'FAILED', false)"));
}

TEST(RowSql, WhatATableCannotSayIsNotAsked) {
  const OutboxTable plain = Table({{"published_at", kAt}}, Tries(3));
  EXPECT_FALSE(KeepsFailed(plain));
  EXPECT_THAT(OvertakenSql(plain), StartsWith("SELECT (o.\"id\")::text FROM"));
  // Published rows are gone.
  EXPECT_EQ(OvertakenSql(Table(Counted(true), Tries(3, true))), "");
  LayoutRequest unordered = Tries(3);
  unordered.keeps_order = false;
  const OutboxTable none = Table(Counted(true), unordered);
  EXPECT_THAT(FailedRowsSql(none, ""), HasSubstr("(o.\"Aggregate_Id\")::text"))
      << "its key is told";
  EXPECT_EQ(BehindRowsSql(none), "");
  OutboxTable keyless = plain;
  keyless.layout.key.clear();
  EXPECT_EQ(OvertakenSql(keyless), "");
  EXPECT_EQ(BehindRowsSql(keyless), "");
}

TEST(RowSql, ARowIsNamedByItsPrimaryKey) {
  OutboxTable table = Table({{"published_at", kAt}});
  EXPECT_EQ(RowText(table, {"7"}), "7");
  table.key_names.emplace_back("\"Aggregate_Id\"");
  EXPECT_EQ(RowText(table, {"7", "a, \"b\""}), "{\"id\":\"7\",\"Aggregate_Id\":\"a, \\\"b\\\"\"}");
}

}  // namespace
}  // namespace walduct::poll
