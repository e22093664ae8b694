// Partitions, publications that follow, signals and several slots.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/replication/capture_judge_fixture.h"

namespace walduct::replication {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

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

TEST_F(Partitions, APublicationThatWasNeverThereIsByTheirRoot) {
  Admit("ev");
  own() = {.name = "pub"};
  EXPECT_THAT(Judge(), ElementsAre("publication_missing"));
  EXPECT_THAT(finding().statement, HasSubstr("WITH (publish_via_partition_root = true)"));
  Admit("ev_1");
  Judge();
  EXPECT_THAT(finding().statement, testing::Not(HasSubstr("publish_via_partition_root")));
}

TEST_F(Partitions, ALeafWhoseKeyIsNotItsIdentityIsNamedBeforeOneWithout) {
  Table(3, "ev_2", 1).has_key = true;
  At(2).identity = At(3).identity = SentIdentity::kNone;
  Admit("ev");
  Publish(1);
  own().via_root = true;
  EXPECT_THAT(Judge(), ElementsAre("publication_refuses_writes public.ev_2"));
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
            R"(ALTER TABLE "public"."ev_1" REPLICA IDENTITY FULL; it is then added)")
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

// All at once: nobody types it in three rounds.
TEST_F(Signals, AreMadeAnewByOneHint) {
  wish_.role = "cdc";
  Judge();
  const std::string made = finding().statement;
  EXPECT_THAT(made, testing::StartsWith("CREATE TABLE \"public\".\"signals\" (id varchar(64)"));
  EXPECT_THAT(made, testing::HasSubstr("; ALTER PUBLICATION \"pub\" ADD TABLE "
                                       "\"public\".\"signals\"; GRANT INSERT ON "
                                       "\"public\".\"signals\" TO \"cdc\""));
}

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

}  // namespace
}  // namespace walduct::replication
