#include "snapshot/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "java/regex/regex_list.h"
#include "names/table_filter.h"
#include "snapshot/options.h"

namespace walduct::snapshot {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::shared_ptr<const java::RegexList> List(absl::string_view text) {
  return java::RegexList::OfChecked(text);
}

std::vector<std::string> Order(const std::vector<std::pair<std::string, std::string>>& tables,
                               const SnapshotOptions& options,
                               const names::TableFilterOptions& filter) {
  std::vector<postgres::TableName> captured;
  for (const auto& [schema, table] : tables) captured.push_back({.schema = schema, .table = table});
  std::vector<std::string> names;
  for (const auto& table : SelectTables(captured, options, filter)) {
    names.push_back(table.schema + "." + table.table);
  }
  return names;
}

event::TableSchema Orders() {
  event::TableSchema schema;
  schema.schema = "public";
  schema.table = "orders";
  for (const char* name : {"id", "customer", "total"}) {
    schema.columns.push_back({});
    schema.columns.back().name = name;
  }
  return schema;
}

TEST(SelectTables, WithoutAnIncludeListByName) {
  EXPECT_THAT(Order({{"s2", "a"}, {"s1", "b"}, {"s1", "a"}}, {}, {}),
              ElementsAre("s1.a", "s1.b", "s2.a"));
}

TEST(SelectTables, ByTheFirstIncludeEntryThatMatchesThenByName) {
  names::TableFilterOptions filter;
  filter.table_include = List("public.zz,public.[ab]\\d,public.a1");
  EXPECT_THAT(
      Order({{"public", "a1"}, {"public", "b0"}, {"public", "zz"}, {"public", "a0"}}, {}, filter),
      ElementsAre("public.zz", "public.a0", "public.a1", "public.b0"));
}

TEST(SelectTables, TheWholeNameOrdersNotSchemaThenTable) {
  // '-' sorts before '.': as one string "a-b.t" comes first.
  EXPECT_THAT(Order({{"a", "t"}, {"a-b", "t"}}, {}, {}), ElementsAre("a-b.t", "a.t"));
}

TEST(SelectTables, IncludeCollectionListRestricts_SNP17) {
  SnapshotOptions options;
  options.include_collections = List("s1.a");
  EXPECT_THAT(Order({{"s1", "a"}, {"s2", "a"}, {"s1", "ab"}}, options, {}), ElementsAre("s1.a"));
}

TEST(SelectTables, IncludeCollectionListMayQuoteAndIgnoresCase_SNP17) {
  SnapshotOptions options;
  options.include_collections = List("\"S1\".\"A\",s2.B");
  EXPECT_THAT(Order({{"s1", "a"}, {"s2", "b"}, {"s3", "c"}}, options, {}),
              ElementsAre("s1.a", "s2.b"));
}

TEST(SelectTables, IncludeCollectionListMayLeaveNothing_SNP17) {
  SnapshotOptions options;
  options.include_collections = List("other.*");
  EXPECT_THAT(Order({{"s1", "a"}}, options, {}), IsEmpty());
}

TEST(SelectStatement, NamesAndQuotesEveryColumnAndReadsChildrenToo_SNP25) {
  event::TableSchema schema = Orders();
  schema.table = "odd\"1#2/3";
  schema.columns[1].name = "Cust";
  EXPECT_EQ(SelectStatement(schema, {0, 1, 2}),
            R"(SELECT "id", "Cust", "total" FROM "public"."odd""1#2/3")");
  EXPECT_EQ(SelectStatement(schema, {2}), R"(SELECT "total" FROM "public"."odd""1#2/3")");
  EXPECT_EQ(SelectStatement(schema, {}), R"(SELECT NULL FROM "public"."odd""1#2/3")");
}

TEST(OverrideStatement, DropsSpaceAndSemicolonsAround) {
  EXPECT_EQ(OverrideStatement(" \n select * from t where id < 3 ; ;\n"),
            "select * from t where id < 3");
  EXPECT_EQ(OverrideStatement("select ';' from t"), "select ';' from t");
}

TEST(OverrideStatement, ACommentAtItsEndDoesNotSwallowWhatFollows) {
  EXPECT_EQ(OverrideStatement("select * from t -- all of it"), "select * from t -- all of it\n");
}

TEST(TargetsByName, FollowTheResultsOrder_SNP18) {
  EXPECT_THAT(TargetsByName(Orders(), {"total", "id", "customer"}), ElementsAre(2, 0, 1));
}

TEST(TargetsByName, UnknownColumnsGoNowhere_SNP18) {
  EXPECT_THAT(TargetsByName(Orders(), {"id", "now", "ID"}),
              ElementsAre(0, kIgnoredColumn, kIgnoredColumn));
}

TEST(MapRow, PutsValuesInPlaceAndLeavesTheRestAbsent_SNP18) {
  const event::Value row[] = {event::Value::Text("9.99"), event::Value::Text("extra"),
                              event::Value::Null()};
  std::vector<event::Value> mapped(3, event::Value::Text("of the row before"));
  MapRow({2, kIgnoredColumn, 0}, row, &mapped);
  EXPECT_EQ(mapped[0].kind, event::ValueKind::kNull);
  EXPECT_EQ(mapped[1].kind, event::ValueKind::kAbsent);
  EXPECT_EQ(std::string(mapped[2].text()), "9.99");
}

TEST(MapRow, OfTwoColumnsOfOneNameTheLastWins) {
  const event::Value row[] = {event::Value::Text("one"), event::Value::Text("two")};
  std::vector<event::Value> mapped(1);
  MapRow({0, 0}, row, &mapped);
  EXPECT_EQ(std::string(mapped[0].text()), "two");
}

}  // namespace
}  // namespace walduct::snapshot
