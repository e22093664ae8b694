#include "replication/capture/capture_judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "replication/capture/capture_map.h"
#include "replication/capture/capture_words.h"
#include "replication/slot_share.h"

namespace walduct::replication {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class CaptureJudgeTest : public testing::Test {
 protected:
  CaptureJudgeTest() {
    facts_.publications.push_back({.name = "pub", .exists = true});
    wish_.admits = &admits_;
    wish_.share = &share_;
    wish_.lists_given = true;
  }

  TableFacts& Table(uint32_t oid, const std::string& name, uint32_t parent = 0) {
    facts_.tables.push_back(
        {.relation = Oid{oid}, .schema = "public", .table = name, .parent = Oid{parent}});
    return facts_.tables.back();
  }
  void Root(uint32_t oid, const std::string& name) { Table(oid, name).partitioned = true; }
  TableFacts& At(uint32_t oid) {
    return *std::find_if(facts_.tables.begin(), facts_.tables.end(),
                         [oid](const TableFacts& table) { return table.relation == Oid{oid}; });
  }
  void Publish(uint32_t oid) { own().members[Oid{oid}] = {}; }
  void Admit(const std::string& name) { names_.insert("public." + name); }
  PublicationFacts& own() { return facts_.publications[0]; }

  // "reason table", with a question mark where it is only worth knowing.
  std::vector<std::string> Judge() {
    verdict_ = JudgeCapture(facts_, wish_, memory_);
    std::vector<std::string> found;
    for (const CaptureFinding& finding : verdict_.findings) {
      found.push_back(absl::StrCat(finding.reason, finding.table.empty() ? "" : " ", finding.table,
                                   finding.loses ? "" : "?"));
    }
    return found;
  }
  // What is so now is how it was.
  void Remember() {
    EXPECT_THAT(Judge(), IsEmpty());
    RememberCapture(facts_, wish_, verdict_, &memory_);
  }
  const CaptureFinding& finding() { return verdict_.findings.front(); }
  std::vector<std::string> Uncovered() {
    std::vector<std::string> names;
    for (const PublishedTable& table : verdict_.uncovered) names.push_back(table.table);
    return names;
  }

  std::set<std::string> names_;
  const std::function<bool(const TableFacts&)> admits_ = [this](const TableFacts& table) {
    return names_.contains(NameOf(table));
  };
  SlotShare share_;
  CaptureFacts facts_;
  CaptureWish wish_;
  CaptureMemory memory_;
  CaptureVerdict verdict_;
};

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
  EXPECT_EQ(finding().statement,
            absl::StrCat(kAlter, "ADD PRIMARY KEY (…), or REPLICA IDENTITY FULL"));
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

class Partitions : public CaptureJudgeTest {
 protected:
  Partitions() {
    Root(1, "ev");
    Table(2, "ev_1", 1);
  }
};

TEST_F(Partitions, ANewLeafThatTheListsMatch) {
  Admit("ev_1");
  Admit("ev_2");
  Publish(2);
  Remember();
  Table(3, "ev_2", 1);
  EXPECT_THAT(Judge(), ElementsAre("publication_lacks_tables public.ev_2"));
  Publish(1);
  EXPECT_THAT(Judge(), IsEmpty()) << "by its root, under its own name";
}

TEST_F(Partitions, ByTheirRoot) {
  Admit("ev");
  Publish(1);
  own().via_root = true;
  Remember();
  Table(3, "ev_2", 1);
  EXPECT_THAT(Judge(), IsEmpty());
  own().via_root = false;
  EXPECT_THAT(Judge(), ElementsAre("publication_without_partitions public.ev"));
  EXPECT_THAT(finding().statement, HasSubstr("publish_via_partition_root = true"));
  own().members.clear();
  EXPECT_THAT(Judge(), ElementsAre("publication_lacks_tables public.ev"));
}

// Rows come as the topmost table that is published: to publish by leaves would not help.
TEST_F(Partitions, SentAsATableBelowTheOneThatIsCaptured) {
  Root(9, "top");
  At(1).parent = Oid{9};
  Admit("top");
  Publish(1);
  own().via_root = true;
  EXPECT_THAT(Judge(), ElementsAre("publication_lacks_tables public.top"));
  EXPECT_EQ(finding().statement, R"(ALTER PUBLICATION "pub" ADD TABLE "public"."top")");
  EXPECT_THAT(finding().detail, HasSubstr("sent as public.ev"));
  Publish(9);
  EXPECT_THAT(Judge(), IsEmpty());
}

TEST_F(Partitions, SentAsATableAboveTheOneThatIsCaptured) {
  Root(9, "top");
  At(1).parent = Oid{9};
  Admit("ev");
  Publish(9);
  own().via_root = true;
  EXPECT_THAT(Judge(), ElementsAre("publication_lacks_tables public.ev"));
  EXPECT_THAT(finding().statement, AllOf(HasSubstr(R"(DROP TABLE "public"."top")"),
                                         HasSubstr(R"(ADD TABLE "public"."ev")")));
}

TEST_F(Partitions, SentAsARootThatIsNotCaptured) {
  Admit("ev_1");
  Publish(1);
  Remember();
  own().via_root = true;
  EXPECT_THAT(Judge(), ElementsAre("partition_sent_as_root public.ev_1"));
  EXPECT_EQ(finding().detail, "sent as public.ev");
}

TEST_F(Partitions, ADetachedOne) {
  Admit("ev");
  Publish(1);
  own().via_root = true;
  Remember();
  At(2).parent = Oid{0};
  EXPECT_THAT(Judge(), IsEmpty()) << "its name is not captured";
  Admit("ev_1");
  EXPECT_THAT(Judge(), ElementsAre("publication_lacks_tables public.ev_1"));
}

class Follow : public CaptureJudgeTest {
 protected:
  Follow() { wish_.filtered = wish_.follows = true; }
};

TEST_F(Follow, NamesWhatThePublicationLacks) {
  Table(1, "a");
  Table(2, "b");
  Table(3, "other");
  Root(4, "empty");
  Root(5, "ev");
  Table(6, "ev_1", 5);
  Publish(1);
  for (const char* name : {"a", "b", "empty", "ev", "ev_1"}) Admit(name);
  Judge();
  EXPECT_THAT(Uncovered(), ElementsAre("b", "empty", "ev"));
}

TEST_F(Follow, NeverOneWhoseWritersWouldBeRefused) {
  Table(1, "a").identity = SentIdentity::kNone;
  Root(2, "ev");
  Table(3, "ev_1", 2).identity = SentIdentity::kNone;
  Admit("a");
  Admit("ev");
  EXPECT_THAT(Judge(), ElementsAre("publication_lacks_tables public.a",
                                   "publication_lacks_tables public.ev"));
  EXPECT_THAT(Uncovered(), IsEmpty());
  EXPECT_THAT(finding().statement, HasSubstr("REPLICA IDENTITY FULL"));
  EXPECT_EQ(verdict_.findings.back().statement,
            R"(ALTER TABLE "public"."ev_1" ADD PRIMARY KEY (…), or REPLICA IDENTITY FULL)"
            ": it is then added")
      << "a partition has an identity of its own";
  own().updates = own().deletes = false;
  Judge();
  EXPECT_THAT(Uncovered(), ElementsAre("a", "ev"));
}

class Signals : public CaptureJudgeTest {
 protected:
  Signals() {
    wish_.signal_table = "public.signals";
    Admit("signals");
  }
};

TEST_F(Signals, ThatNeverCome) {
  EXPECT_THAT(Judge(), ElementsAre("signal_table_missing public.signals"));
  Table(1, "signals");
  EXPECT_THAT(Judge(), ElementsAre("signal_table_not_published public.signals"));
  Publish(1);
  EXPECT_THAT(Judge(), IsEmpty());
}

TEST_F(Signals, OfAPartitionedTable) {
  Root(1, "signals");
  Table(2, "signals_1", 1);
  Publish(1);
  EXPECT_THAT(Judge(), ElementsAre("signal_table_partitioned public.signals"));
  own().via_root = true;
  EXPECT_THAT(Judge(), IsEmpty());
}

class TwoSlots : public CaptureJudgeTest {
 protected:
  TwoSlots() {
    share_.count = 2;
    share_.publications = {"pub", "pub_2"};
    facts_.publications.push_back({.name = "pub_2", .exists = true});
    for (PublicationFacts& one : facts_.publications) one.via_root = true;
    wish_.filtered = true;
  }
  PublicationFacts& other() { return facts_.publications[1]; }
  std::vector<std::string> JudgeAs(int slot) {
    share_.number = slot;
    return Judge();
  }
};

TEST_F(TwoSlots, EachLooksAfterItsOwn) {
  Table(1, "a");
  Table(2, "b");
  Admit("a");
  Admit("b");
  Publish(1);
  other().members[Oid{2}] = {};
  EXPECT_THAT(JudgeAs(1), IsEmpty());
  EXPECT_THAT(verdict_.elsewhere, ElementsAre(Oid{2}));
  EXPECT_THAT(JudgeAs(2), IsEmpty());
  EXPECT_THAT(verdict_.elsewhere, ElementsAre(Oid{1}));
}

TEST_F(TwoSlots, ANewTableIsMissedByOneOfThem) {
  Table(1, "fresh");
  Admit("fresh");
  EXPECT_EQ(JudgeAs(1).size() + JudgeAs(2).size(), 1u);
}

TEST_F(TwoSlots, APartitionOfARootOfTheOther) {
  Root(1, "ev");
  Table(2, "ev_1", 1);
  Admit("ev");
  Admit("ev_1");
  Publish(2);
  other().members[Oid{1}] = {};
  EXPECT_THAT(JudgeAs(1), ElementsAre("partition_apart public.ev_1"));
  EXPECT_TRUE(finding().at_once);
  EXPECT_THAT(finding().statement, HasSubstr(R"("pub" DROP TABLE "public"."ev_1")"));
  EXPECT_THAT(JudgeAs(2), IsEmpty()) << "said once";
  for (PublicationFacts& one : facts_.publications) one.via_root = false;
  EXPECT_THAT(JudgeAs(1), IsEmpty()) << "the other leaves its rows out";
  EXPECT_THAT(JudgeAs(2), IsEmpty());
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

}  // namespace
}  // namespace walduct::replication
