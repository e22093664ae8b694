#include "names/table_filter.h"

#include <gtest/gtest.h>

#include "java/regex/regex_list.h"
#include "names/table_share.h"

namespace walduct::names {
namespace {

std::shared_ptr<const java::RegexList> List(absl::string_view text) {
  return java::RegexList::OfChecked(text);
}

TEST(TableFilter, WithoutListsEverythingButTheBuiltInsIsCaptured) {
  const TableFilter filter({});
  EXPECT_TRUE(filter.Includes("public", "orders"));
  EXPECT_FALSE(filter.Includes("pg_catalog", "pg_class"));
  EXPECT_FALSE(filter.Includes("information_schema", "tables"));
  EXPECT_FALSE(filter.Includes("pg_temp_3", "x"));
  EXPECT_FALSE(filter.Includes("pg_toast", "pg_toast_1"));
  EXPECT_FALSE(filter.Includes("public", "spatial_ref_sys"));
}

TEST(TableFilter, BuiltInsAreCapturedWhenNotIgnored) {
  TableFilterOptions options;
  options.ignore_builtin = false;
  EXPECT_TRUE(TableFilter(options).Includes("public", "spatial_ref_sys"));
}

TEST(TableFilter, TableListMatchesTheQualifiedName) {
  TableFilterOptions options;
  options.table_include = List("public.orders, s2\\..*");
  const TableFilter filter(options);
  EXPECT_TRUE(filter.Includes("public", "orders"));
  EXPECT_TRUE(filter.Includes("s2", "any"));
  EXPECT_FALSE(filter.Includes("public", "orders2"));
}

TEST(TableFilter, UnqualifiedNameMatchesNothing) {
  TableFilterOptions options;
  options.table_include = List("orders");
  EXPECT_FALSE(TableFilter(options).Includes("public", "orders"));
}

TEST(TableFilter, SchemaAndTableListsMustBothPass) {
  TableFilterOptions options;
  options.schema_include = List("s1");
  options.table_exclude = List("s1.secret");
  const TableFilter filter(options);
  EXPECT_TRUE(filter.Includes("s1", "open"));
  EXPECT_FALSE(filter.Includes("s1", "secret"));
  EXPECT_FALSE(filter.Includes("s2", "open"));
}

TEST(TableFilter, IncludeListWinsOverExcludeList) {
  TableFilterOptions options;
  options.table_include = List("s.a");
  options.table_exclude = List("s.a");
  EXPECT_TRUE(TableFilter(options).Includes("s", "a"));
}

TEST(TableFilter, TablesOfOtherSlotsAreTheirsByOid) {
  TableFilterOptions options;
  EXPECT_TRUE(TableFilter(options).Takes(Oid{7}));
  options.share = std::make_shared<TableShare>();
  const TableFilter filter(options);
  EXPECT_TRUE(filter.Takes(Oid{7}));
  options.share->SetOthers({Oid{7}});
  EXPECT_FALSE(filter.Takes(Oid{7}));
  EXPECT_TRUE(filter.Takes(Oid{8}));
  EXPECT_TRUE(filter.Includes("public", "orders"));
}

}  // namespace
}  // namespace walduct::names
