#include "replication/capture/capture_judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "java/regex/regex_list.h"
#include "names/table_filter.h"
#include "replication/capture/capture_words.h"
#include "tests/replication/capture_judge_fixture.h"

namespace walduct::replication {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class OneTable : public CaptureJudgeTest {
 protected:
  OneTable() {
    Table(1, "cust");
    Admit("cust");
    Publish(1);
    Remember();
  }
};

TEST_F(OneTable, ThatComesIsFine) { EXPECT_THAT(Judge(), IsEmpty()); }

TEST_F(OneTable, LeavesThePublication) {
  own().members.clear();
  EXPECT_THAT(Judge(), ElementsAre("publication_lacks_tables public.cust"));
  EXPECT_EQ(finding().statement, R"(ALTER PUBLICATION "pub" ADD TABLE "public"."cust")");
}

TEST_F(OneTable, IsDroppedAndCreated) {
  facts_.tables.clear();
  own().members.clear();
  EXPECT_THAT(Judge(), ElementsAre("captured_table_dropped public.cust"));
  Table(2, "cust");
  EXPECT_THAT(Judge(), ElementsAre("table_created_anew public.cust"));
  EXPECT_THAT(finding().detail,
              AllOf(HasSubstr("OID 2 now"), HasSubstr("OID 1, which was captured, is gone")));
  EXPECT_THAT(finding().statement, HasSubstr("ADD TABLE"));
  EXPECT_TRUE(finding().role_may);
  At(2).owned = false;
  Judge();
  EXPECT_FALSE(finding().role_may);
  At(2).owned = true;
  own().owned = false;
  Judge();
  EXPECT_FALSE(finding().role_may);
  EXPECT_FALSE(finding().on_standby);
  own().on_standby = true;
  Judge();
  EXPECT_TRUE(finding().on_standby);
}

TEST_F(OneTable, ChangesPlacesWithAnother) {
  At(1).table = "cust_old";
  Table(2, "cust");
  EXPECT_THAT(Judge(), ElementsAre("publication_sends_more public.cust_old?",
                                   "table_created_anew public.cust"));
  EXPECT_THAT(verdict_.findings[1].detail, HasSubstr("is public.cust_old now"));
}

TEST_F(OneTable, IsAnotherOneThatIsPublished) {
  facts_.tables.clear();
  own().members.clear();
  Table(2, "cust");
  Publish(2);
  EXPECT_THAT(Judge(), IsEmpty());
  RememberCapture(facts_, wish_, verdict_, &memory_);
  own().members.clear();
  EXPECT_THAT(Judge(), ElementsAre("publication_lacks_tables public.cust"));
}

TEST_F(OneTable, GetsAnotherName) {
  At(1).table = "gone";
  EXPECT_THAT(Judge(), ElementsAre("publication_sends_more public.gone?",
                                   "captured_table_renamed public.cust"));
  Admit("gone");
  EXPECT_THAT(Judge(), IsEmpty());
  names_.erase("public.gone");
  own().members.clear();
  EXPECT_THAT(Judge(), IsEmpty()) << "it is out of use";
}

TEST_F(OneTable, GoesWithItsSchema) {
  At(1).schema = "blue";
  Table(2, "cust");
  EXPECT_THAT(Judge(), testing::Contains("table_created_anew public.cust"));
}

TEST_F(OneTable, BecomesUnlogged) {
  own().all_tables = true;
  At(1).unlogged = true;
  EXPECT_THAT(Judge(), ElementsAre("unlogged_table public.cust"));
}

TEST_F(OneTable, AnUnloggedOneNeverCame) {
  Table(2, "cache").unlogged = true;
  Admit("cache");
  EXPECT_THAT(Judge(), ElementsAre("unlogged_table public.cache?"));
}

TEST_F(OneTable, LosesItsFullIdentity) {
  memory_ = {};
  At(1).identity = SentIdentity::kFull;
  Remember();
  At(1).identity = SentIdentity::kKey;
  EXPECT_THAT(Judge(), ElementsAre("replica_identity_weaker public.cust"));
  EXPECT_EQ(finding().statement, R"(ALTER TABLE "public"."cust" REPLICA IDENTITY FULL)");
  At(1).stored_ones = true;
  Judge();
  EXPECT_THAT(finding().statement, HasSubstr("publish_generated_columns = stored); ALTER TABLE"));
  At(1).virtual_ones = true;
  Judge();
  EXPECT_EQ(finding().statement, "") << "the server would refuse UPDATE and DELETE";
  At(1).stored_ones = At(1).virtual_ones = false;
  // Also of the one that takes its place.
  At(1).table = "cust_old";
  Table(2, "cust");
  own().members.clear();
  Publish(2);
  EXPECT_THAT(Judge(), ElementsAre("replica_identity_weaker public.cust"));
}

TEST_F(OneTable, LosesItsIdentity) {
  At(1).identity = SentIdentity::kNone;
  EXPECT_THAT(Judge(), ElementsAre("publication_refuses_writes public.cust"));
  constexpr absl::string_view kAlter = R"(ALTER TABLE "public"."cust" )";
  EXPECT_EQ(finding().statement, absl::StrCat(kAlter, "REPLICA IDENTITY FULL"));
  At(1).stored_ones = true;
  Judge();
  EXPECT_EQ(finding().statement, absl::StrCat(kAlter, "ADD PRIMARY KEY (…)")) << "FULL is refused";
  own().generated = true;
  own().members[Oid{1}].has_list = true;
  Judge();
  EXPECT_EQ(finding().statement, absl::StrCat(kAlter, "ADD PRIMARY KEY (…)")) << "FULL is refused";
  At(1).has_key = true;
  Judge();
  EXPECT_EQ(finding().statement, absl::StrCat(kAlter, "REPLICA IDENTITY DEFAULT"));
  own().updates = own().deletes = false;
  wish_.updates = wish_.deletes = false;
  EXPECT_THAT(Judge(), IsEmpty()) << "only inserts are published";
}

TEST_F(OneTable, WithoutIdentityFromTheBeginning) {
  memory_ = {};
  At(1).identity = SentIdentity::kNone;
  EXPECT_THAT(Judge(), ElementsAre("publication_refuses_writes public.cust?"));
  RememberCapture(facts_, wish_, verdict_, &memory_);
  EXPECT_THAT(Judge(), ElementsAre("publication_refuses_writes public.cust?"));
}

// Another configuration, or a new process, does not know how it was.
TEST_F(OneTable, WithoutIdentityThoughItHasAKey) {
  memory_ = {};
  At(1).identity = SentIdentity::kNone;
  At(1).has_key = true;
  EXPECT_THAT(Judge(), ElementsAre("publication_refuses_writes public.cust"));
  EXPECT_THAT(finding().statement, HasSubstr("REPLICA IDENTITY DEFAULT"));
  RememberCapture(facts_, wish_, verdict_, &memory_);
  EXPECT_THAT(Judge(), ElementsAre("publication_refuses_writes public.cust"));
  memory_ = {};
  own().updates = own().deletes = false;
  EXPECT_THAT(Judge(), IsEmpty()) << "only inserts are published";
}

// It has an identity, and the server refuses writes all the same.
TEST_F(OneTable, IdentityIsAtOddsWithWhatIsSent) {
  own().refusals[Oid{1}] = Refusal::kGenerated;
  EXPECT_THAT(Judge(), ElementsAre("publication_refuses_writes public.cust"));
  EXPECT_THAT(finding().statement, AllOf(HasSubstr("REPLICA IDENTITY DEFAULT"),
                                         HasSubstr("publish_generated_columns = stored")));
  own().refusals[Oid{1}] = Refusal::kFilter;
  Judge();
  EXPECT_THAT(finding().detail, HasSubstr("row filter"));
  EXPECT_THAT(finding().statement, HasSubstr("DROP TABLE"));
  own().refusals.clear();
  own().refusals[Oid{2}] = Refusal::kList;
  EXPECT_THAT(Judge(), IsEmpty()) << "another's";
  memory_ = {};
  own().refusals[Oid{1}] = Refusal::kList;
  Judge();
  RememberCapture(facts_, wish_, verdict_, &memory_);
  EXPECT_THAT(Judge(), ElementsAre("publication_refuses_writes public.cust?"))
      << "so from the beginning";
}

TEST_F(OneTable, GetsARowFilterOrAColumnList) {
  own().members[Oid{1}].filter = "{OPEXPR}";
  EXPECT_THAT(Judge(), ElementsAre("publication_row_filter public.cust"));
  own().members[Oid{1}] = {.filter = "", .all_columns = false};
  EXPECT_THAT(Judge(), ElementsAre("publication_column_list public.cust"));
}

TEST_F(OneTable, HasHadThemFromTheBeginning) {
  memory_ = {};
  own().members[Oid{1}] = {.filter = "{OPEXPR}", .all_columns = false};
  Remember();
  EXPECT_THAT(Judge(), IsEmpty());
  own().members[Oid{1}].filter = "{OTHER}";
  EXPECT_THAT(Judge(), ElementsAre("publication_row_filter public.cust"));
  own().members[Oid{1}].filter = "";
  EXPECT_THAT(Judge(), IsEmpty()) << "more comes";
}

TEST_F(OneTable, FewerKindsOfChanges) {
  own().deletes = own().truncates = false;
  EXPECT_THAT(Judge(), ElementsAre("publication_lacks_operations"));
  EXPECT_EQ(finding().detail, "deletes") << "truncates are skipped";
  EXPECT_THAT(finding().statement, HasSubstr("publish = 'insert, update, delete, truncate'"));
  wish_.deletes = false;
  EXPECT_THAT(Judge(), IsEmpty());
}

TEST_F(OneTable, GotAnotherNameWhileNothingRan) {
  memory_ = {.tables = {}, .before = {{"public.cust", Oid{1}}}};
  EXPECT_THAT(Judge(), IsEmpty());
  At(1).table = "gone";
  EXPECT_THAT(Judge(), ElementsAre("publication_sends_more public.gone?",
                                   "captured_table_renamed public.cust"));
  own().members.clear();
  EXPECT_THAT(Judge(), IsEmpty()) << "it is out of use";
  wish_.filtered = true;
  EXPECT_THAT(Judge(), ElementsAre("captured_table_renamed public.cust"))
      << "a start has taken it out of the publication";
  Table(2, "cust");
  Publish(2);
  EXPECT_THAT(Judge(), IsEmpty()) << "another one has its place";
}

TEST_F(OneTable, GeneratedColumnsAreNotSentAnyMore) {
  memory_ = {};
  own().generated = true;
  Remember();
  own().generated = false;
  EXPECT_THAT(Judge(), ElementsAre("publication_column_list"));
}

TEST_F(OneTable, GoesOutOfASchemaOfThePublication) {
  own().members.clear();
  own().schemas = {"public"};
  EXPECT_THAT(Judge(), IsEmpty());
  At(1).schema = "elsewhere";
  EXPECT_THAT(Judge(), ElementsAre("captured_table_renamed public.cust"));
}

TEST_F(OneTable, ThePublicationIsGone) {
  own() = {.name = "pub"};
  EXPECT_THAT(Judge(), ElementsAre("publication_missing"));
  EXPECT_EQ(finding().statement, R"(CREATE PUBLICATION "pub" FOR TABLE "public"."cust")");
}

TEST_F(CaptureJudgeTest, APublicationThatWasNeverThereIsMadeOfWhatIsAdmitted) {
  Table(1, "cust");
  Table(2, "other");
  Admit("cust");
  own() = {.name = "pub"};
  wish_.lists_given = true;
  EXPECT_THAT(Judge(), ElementsAre("publication_missing"));
  EXPECT_EQ(finding().statement, R"(CREATE PUBLICATION "pub" FOR TABLE "public"."cust")");
  wish_.lists_given = false;
  EXPECT_THAT(Judge(), ElementsAre("publication_missing"));
  EXPECT_EQ(finding().statement, R"(CREATE PUBLICATION "pub" FOR ALL TABLES)");
}

TEST_F(CaptureJudgeTest, AllTablesBringWhateverComes) {
  own().all_tables = true;
  Table(1, "cust");
  Admit("cust");
  Remember();
  facts_.tables.clear();
  Table(2, "cust");
  Table(3, "other");
  EXPECT_THAT(Judge(), IsEmpty());
}

TEST_F(CaptureJudgeTest, WhatIsNotAskedForIsOnlyWorthKnowing) {
  Table(1, "a");
  Table(2, "b");
  Admit("a");
  Admit("b");
  Publish(1);
  wish_.lists_given = false;
  EXPECT_THAT(Judge(), ElementsAre("publication_lacks_tables public.b?"));
  RememberCapture(facts_, wish_, verdict_, &memory_);
  own().members.clear();
  EXPECT_THAT(Judge(), ElementsAre("publication_lacks_tables public.a",
                                   "publication_lacks_tables public.b?"));
  wish_.filtered = true;
  EXPECT_THAT(Judge(), ElementsAre("publication_lacks_tables public.a",
                                   "publication_lacks_tables public.b"));
}

TEST_F(CaptureJudgeTest, ASchemaOfThePublication) {
  own().schemas = {"public"};
  Table(1, "cust");
  Admit("cust");
  Remember();
  At(1).schema = "blue";
  Table(2, "cust").schema = "public";
  EXPECT_THAT(Judge(), IsEmpty());
  own().schemas = {"blue"};
  EXPECT_THAT(Judge(), ElementsAre("table_created_anew public.cust"));
}

TEST_F(CaptureJudgeTest, ListsThatMatchNothingAreTold) {
  Table(1, "customers");
  Publish(1);
  wish_.may_be_empty = false;
  EXPECT_THAT(Judge(), testing::Contains("no_tables_captured"));
  const CaptureFinding none{.reason = "no_tables_captured"};
  EXPECT_THAT(CaptureHint({&none}, wish_), testing::StartsWith("check database.dbname"));
  wish_.lists_given = false;
  EXPECT_THAT(Judge(), testing::Not(testing::Contains("no_tables_captured")));
  wish_.lists_given = true;
  Admit("customers");
  EXPECT_THAT(Judge(), IsEmpty());
  wish_.may_be_empty = true;
  names_.clear();
  EXPECT_THAT(Judge(), testing::Not(testing::Contains("no_tables_captured")));
}

TEST_F(CaptureJudgeTest, ATableOfAnotherSchemaMayBeMeant) {
  names::TableFilterOptions lists;
  lists.table_include = java::RegexList::OfChecked("warehouse.orders,public.items,warehouse.gone");
  wish_.lists = &lists;
  wish_.may_be_empty = false;
  for (const auto& [oid, name] : {std::pair(1u, "orders"), std::pair(2u, "items")}) {
    Table(oid, name);
    Publish(oid);
  }
  Admit("items");
  EXPECT_THAT(Judge(), testing::Contains("list_matches_nothing warehouse.orders"));
  for (const CaptureFinding& one : verdict_.findings) {
    if (one.table == "warehouse.orders") {
      EXPECT_EQ(one.detail, "table.include.list: did you mean public.orders?");
      EXPECT_EQ(one.renamed_to, "public.orders");
    } else if (one.table == "warehouse.gone") {
      EXPECT_EQ(one.detail, "table.include.list");
    }
  }
}

// A name that is like it alone is a guess; what was captured, and what is published, is known.
TEST_F(CaptureJudgeTest, AnEntryMeansWhatWasCapturedOrIsPublished) {
  names::TableFilterOptions lists;
  lists.table_include = java::RegexList::OfChecked("public.nosuch");
  wish_.lists = &lists;
  wish_.may_be_empty = false;
  Table(1, "outbox");
  Table(2, "notes");
  Publish(1);
  const auto idle = [this] {
    Judge();
    const auto one = std::find_if(
        verdict_.findings.begin(), verdict_.findings.end(),
        [](const CaptureFinding& each) { return each.reason == "list_matches_nothing"; });
    return one == verdict_.findings.end() ? CaptureFinding() : *one;
  };
  EXPECT_EQ(idle().detail, "table.include.list: the publication has public.outbox");
  EXPECT_EQ(idle().renamed_to, "") << "nobody has captured it";
  memory_.left = {{"public.outbox", Oid{1}}, {"public.dropped", Oid{3}}};
  EXPECT_EQ(idle().detail, "table.include.list: what was captured before is public.outbox");
  EXPECT_EQ(idle().renamed_to, "public.outbox");
  EXPECT_EQ(idle().argument, "public.outbox");
  // What is like it comes first among those.
  lists.table_include = java::RegexList::OfChecked("public.outbxo,public.nosuch");
  EXPECT_EQ(idle().detail, "table.include.list: did you mean public.outbox?");
  EXPECT_EQ(verdict_.findings.back().detail, "table.include.list");
  // Where a start makes the publication of the lists, or none is known, any table may be meant.
  memory_.left.clear();
  lists.table_include = java::RegexList::OfChecked("public.ntoes");
  EXPECT_EQ(idle().renamed_to, "");
  wish_.filtered = true;
  EXPECT_EQ(idle().renamed_to, "public.notes");
  wish_.filtered = false;
  own().all_tables = true;
  EXPECT_EQ(idle().renamed_to, "public.notes");
}

TEST_F(CaptureJudgeTest, AnEntryThatMatchesNothingIsTold) {
  names::TableFilterOptions lists;
  lists.table_include = java::RegexList::OfChecked("public.orders,public.itmes,public.ev_.*,far");
  wish_.lists = &lists;
  wish_.may_be_empty = false;
  for (const auto& [oid, name] : {std::pair(1u, "orders"), std::pair(2u, "items")}) {
    Table(oid, name);
    Publish(oid);
  }
  Admit("orders");
  EXPECT_THAT(Judge(), testing::UnorderedElementsAre("publication_sends_more public.items?",
                                                     "list_matches_nothing far",
                                                     "list_matches_nothing public.itmes",
                                                     "list_matches_nothing public.ev_.*?"));
  EXPECT_TRUE(finding().lists_first);
  for (const CaptureFinding& one : verdict_.findings) {
    if (one.table != "public.itmes") continue;
    EXPECT_EQ(one.detail, "table.include.list: did you mean public.items?");
    EXPECT_EQ(one.argument, "public.items");
  }
  wish_.may_be_empty = true;
  EXPECT_THAT(Judge(), testing::Contains("list_matches_nothing public.itmes?"));
  // Tables that come end it, and those that go are another finding.
  lists.table_include = java::RegexList::OfChecked("public.orders,public.items");
  wish_.may_be_empty = false;
  Admit("items");
  Remember();
  facts_.tables.pop_back();
  EXPECT_THAT(Judge(), ElementsAre("captured_table_dropped public.items"));
  const auto was = facts_.tables;
  lists.table_include = nullptr;
  lists.schema_include = java::RegexList::OfChecked("public");
  facts_.tables.clear();
  EXPECT_THAT(Judge(), testing::Not(testing::Contains(testing::StartsWith("list_matches"))));
  lists.schema_include = nullptr;
  facts_.tables = was;
  // Without its schema.
  memory_ = {};
  lists.table_include = java::RegexList::OfChecked("orders");
  Judge();
  EXPECT_EQ(verdict_.findings.back().renamed_to, "public.orders");
  lists.table_include = nullptr;
  lists.schema_include = java::RegexList::OfChecked("public,publik");
  EXPECT_THAT(Judge(), testing::Contains("list_matches_nothing publik"));
}

TEST_F(OneTable, BesideOneThatAnotherConnectorReads) {
  Table(2, "items");
  Table(3, "old");
  Publish(2);
  Publish(3);
  EXPECT_THAT(Judge(), ElementsAre("publication_sends_more public.items?",
                                   "publication_sends_more public.old?"));
  const std::function<bool(const TableFacts&)> others = [](const TableFacts& table) {
    return table.table == "items";
  };
  wish_.others_admit = &others;
  EXPECT_THAT(Judge(), ElementsAre("publication_sends_more public.old?"));
}

}  // namespace
}  // namespace walduct::replication
