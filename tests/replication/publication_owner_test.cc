#include "replication/capture/publication_owner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replication/capture/capture_words.h"
#include "tests/replication/capture_judge_fixture.h"

namespace walduct::replication {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

// The position was read by shop_pub, and the configuration names outbox_pub.
class PublicationOwner : public CaptureJudgeTest {
 protected:
  PublicationOwner() {
    own().name = "outbox_pub";
    own().oid = Oid{9};
    facts_.names = {{Oid{8}, "shop_pub"}, {Oid{9}, "outbox_pub"}};
    memory_.read_by = Oid{8};
    wish_.called = {.who = "shop", .where = "http://w:1", .name = "shop"};
    Table(1, "customers");
    Admit("customers");
  }
  std::string Hint() {
    EXPECT_THAT(Judge(), testing::ElementsAre("publication_lacks_tables public.customers"));
    return CaptureHint({&finding()}, wish_);
  }
};

constexpr char kAlter[] = R"(ALTER PUBLICATION "outbox_pub" ADD TABLE)";

TEST_F(PublicationOwner, TheNameThatWasReadByComesBeforeAnAlter) {
  const std::string hint = Hint();
  EXPECT_THAT(hint, AllOf(StartsWith("publication.name was shop_pub, "),
                          HasSubstr(R"({"publication.name":"shop_pub"})"), HasSubstr(kAlter),
                          HasSubstr("execute-snapshot shop --table public.customers --url")));
  EXPECT_LT(hint.find("curl -X PATCH"), hint.find("; only where the other name is meant: "));
  EXPECT_LT(hint.find("; only where the other name is meant: "), hint.find(kAlter));
  wish_.publications_of_others = {"outbox_pub"};
  EXPECT_THAT(Hint(), HasSubstr("is meant, by which another connector reads: ALTER"));
  wish_.called = {.who = "-f s.json", .name = "shop"};
  EXPECT_THAT(Hint(), HasSubstr("walduct run -f s.json -o publication.name=shop_pub"));
}

// An incremental snapshot leaves it out.
TEST_F(PublicationOwner, OfATableWithoutAKeyTheRowsAreReadByABlockingSnapshot) {
  Table(2, "log");
  Admit("log");
  std::vector<CaptureFinding> findings = JudgeCapture(facts_, wish_, memory_).findings;
  ASSERT_EQ(findings.size(), 2u);
  std::vector<const CaptureFinding*> both;
  for (CaptureFinding& finding : findings) {
    finding.keyless = finding.table == "public.log";
    both.push_back(&finding);
  }
  const std::string hint = CaptureHint(both, wish_);
  const std::string first = hint.substr(0, hint.find("; only where the other name is meant"));
  EXPECT_THAT(first, HasSubstr("execute-snapshot shop --table public.customers --url"));
  EXPECT_THAT(first, AllOf(HasSubstr("--table public.log"), HasSubstr("--blocking")));
  EXPECT_THAT(first, Not(HasSubstr("--table public.customers --table")));
}

TEST_F(PublicationOwner, OneThatAnotherReadsByIsNotAlteredFirst) {
  memory_.read_by = Oid{};
  EXPECT_THAT(Hint(), StartsWith(kAlter));
  wish_.publications_of_others = {"outbox_pub"};
  EXPECT_THAT(Hint(), AllOf(StartsWith("another connector reads by this publication: "),
                            HasSubstr("; only where both are to read by it: ALTER")));
  wish_.publications_of_others = {"shop_pub"};
  EXPECT_THAT(Hint(), StartsWith(kAlter));
}

TEST_F(PublicationOwner, WhatIsGoneOrTheSameIsNotNamed) {
  memory_.read_by = Oid{9};
  EXPECT_THAT(Hint(), StartsWith(kAlter));
  memory_.read_by = Oid{7};
  EXPECT_THAT(Hint(), StartsWith(kAlter));
  // Of several slots each one's has a name of its own.
  memory_.read_by = Oid{8};
  CaptureFinding one{.reason = "publication_lacks_tables", .statement = kAlter};
  facts_.publications.push_back({.name = "outbox_pub_2", .exists = true, .oid = Oid{10}});
  TellWhose(facts_, wish_, memory_, own(), &one);
  EXPECT_THAT(one.read_before, IsEmpty());
}

// What alters no publication, or says itself that others may read by it.
TEST_F(PublicationOwner, OtherFindingsStayAsTheyAre) {
  wish_.publications_of_others = {"outbox_pub"};
  CaptureFinding identity{.reason = "publication_refuses_writes",
                          .statement = "ALTER TABLE a REPLICA IDENTITY FULL"};
  TellWhose(facts_, wish_, memory_, own(), &identity);
  EXPECT_THAT(identity.read_before, IsEmpty());
  EXPECT_FALSE(identity.of_others);
  memory_.read_by = Oid{};
  CaptureFinding more{.reason = "publication_sends_more", .statement = kAlter};
  TellWhose(facts_, wish_, memory_, own(), &more);
  EXPECT_THAT(CaptureHint({&more}, wish_),
              AllOf(StartsWith("where no other connector reads them"),
                    Not(HasSubstr("another connector reads by this publication"))));
}

}  // namespace
}  // namespace walduct::replication
