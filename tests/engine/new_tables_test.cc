#include "engine/incremental/new_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace walduct::engine {
namespace {

using postgres::TableName;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TableName Named(uint32_t relation, const std::string& table) {
  return {.relation = Oid{relation}, .schema = "public", .table = table};
}

std::unique_ptr<NewTables> With(const std::vector<TableName>& captured,
                                const std::string& member = "", const std::string& lists = "all") {
  incremental::OffsetMembers stored;
  if (!member.empty()) stored.emplace(NewTables::kMember, member);
  return NewTables::Create({.lists = lists, .signal_table = "public.signals"}, captured, &stored);
}

TEST(NewTablesTest, WhatIsCapturedGoesWithThePosition) {
  const auto tables = With({Named(1, "a"), Named(2, "b\"c")});
  EXPECT_THAT(tables->At(0), IsEmpty()) << "nothing is known before the stream";
  tables->Begin(std::nullopt);
  EXPECT_THAT(tables->At(0), HasSubstr(R"(\"tables\":[\"public.a\",\"public.b\\\"c\"]}")"));
  EXPECT_EQ(tables->At(7), tables->At(0));
}

TEST(NewTablesTest, WhatWasStoredIsKeptUntilTheStreamBegins) {
  const auto before = With({Named(1, "a")});
  before->Begin(std::nullopt);
  const std::string member = before->At(0);
  const auto tables = With({Named(1, "a"), Named(2, "b")}, member, "other");
  EXPECT_EQ(tables->At(0), member);
  tables->Begin(std::nullopt);
  EXPECT_THAT(tables->At(0), HasSubstr("public.b"));
  const auto back = With({Named(2, "b")}, tables->At(0), "other");
  back->Begin(std::nullopt);
  EXPECT_THAT(back->At(0), Not(HasSubstr("public.a"))) << "not captured any more";
}

TEST(NewTablesTest, WhatThePublicationDoesNotNameIsNotCapturedYet) {
  const auto tables = With({Named(1, "a"), Named(2, "b")});
  tables->Begin(std::set<Oid>{Oid{1}});
  EXPECT_THAT(tables->At(0), Not(HasSubstr("public.b")));
  tables->Came(Named(2, "b"));
  EXPECT_THAT(tables->At(0), HasSubstr("public.b"));
}

TEST(NewTablesTest, DamageIsAsIfNothingWereStored) {
  for (const char* const member : {"1", "\"x\"", "\"{}\"", R"("{\"lists\":1,\"tables\":[]}")"}) {
    const auto tables = With({Named(1, "a")}, member);
    tables->Begin(std::nullopt);
    EXPECT_THAT(tables->At(0), HasSubstr("public.a")) << member;
  }
}

TEST(NewTablesTest, TooManyTablesAreNotKept) {
  std::vector<TableName> many;
  for (uint32_t i = 1; i <= 5000; ++i) many.push_back(Named(i, absl::StrCat("table_", i)));
  const auto tables = With(many);
  tables->Begin(std::nullopt);
  EXPECT_THAT(tables->At(0), IsEmpty());
}

TEST(NewTablesTest, PositionsThatComeTogetherKnowTheTablesOfAll) {
  const auto one = With({Named(1, "a"), Named(2, "b")}), other = With({Named(3, "c")});
  one->Begin(std::nullopt);
  other->Begin(std::nullopt);
  const std::string both = NewTables::Merge({one->At(0), other->At(0)});
  const auto now = With({Named(1, "a"), Named(3, "c"), Named(4, "d")}, both);
  EXPECT_THAT(both, HasSubstr(R"(\"tables\":[\"public.a\",\"public.b\",\"public.c\"]}")"));
  EXPECT_EQ(now->At(0), both) << "it can be read again";
  EXPECT_EQ(NewTables::Merge({one->At(0)}), one->At(0));
  EXPECT_THAT(NewTables::Merge({one->At(0), ""}), IsEmpty()) << "one is not known";
  EXPECT_THAT(NewTables::Merge({}), IsEmpty());
}

TEST(NewTablesTest, NobodyAsksWhereNoTablesAreTold) {
  EXPECT_EQ(NewTables::Create({}, std::nullopt, nullptr), nullptr);
}

}  // namespace
}  // namespace walduct::engine
