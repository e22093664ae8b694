#include "replication/slots/other_slot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "postgres/options.h"
#include "replication/options.h"
#include "replication/slot.h"
#include "tests/support/postgres_server.h"

namespace walduct::replication {
namespace {

using test_servers::MustOpen;
using test_servers::MustQuery;
using test_servers::PostgresServer;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

FoundSlot Idle(const std::string& name, uint64_t confirmed) {
  return {.name = name, .confirmed = Lsn(confirmed), .idle = true, .own = false};
}

std::vector<std::string> Meant(std::vector<FoundSlot> found, const std::string& own = "shop_x",
                               int number = 1, int count = 1,
                               const std::set<std::string>& of_others = {},
                               const PositionTrace& trace = {.position = Lsn(500),
                                                             .exact = false}) {
  SlotShare share;
  share.number = number;
  share.count = count;
  std::vector<std::string> names;
  for (const FoundSlot& slot : MayBeMeant(std::move(found), own, share, trace, of_others))
    names.push_back(slot.name);
  return names;
}

// A Debezium confirms somewhat less than it has stored.
TEST(MayBeMeant, OfAPositionFromElsewhereWhatStandsAtItOrBeforeIt) {
  EXPECT_THAT(Meant({Idle("far", 100), Idle("at", 500), Idle("near", 499), Idle("beyond", 501)}),
              ElementsAre("far", "at", "near"));
  EXPECT_THAT(Meant({Idle("half_created", 0)}), IsEmpty());
  EXPECT_THAT(Meant({}), IsEmpty());
}

TEST(MayBeMeant, OfAPositionThatWasStreamedToWhatStandsExactlyThere) {
  const PositionTrace streamed = {.position = Lsn(500)};
  EXPECT_THAT(Meant({Idle("before", 499), Idle("at", 500)}, "shop_x", 1, 1, {}, streamed),
              ElementsAre("at"));
  EXPECT_THAT(Meant({Idle("before", 499)}, "shop_x", 1, 1, {}, streamed), IsEmpty());
}

TEST(MayBeMeant, WhereTheSlotIsKnownItAlone) {
  const PositionTrace known = {.position = Lsn(500), .slot = "shop"};
  EXPECT_THAT(Meant({Idle("other", 500), Idle("shop", 400)}, "shop_x", 1, 1, {}, known),
              ElementsAre("shop"));
  EXPECT_THAT(Meant({Idle("other", 500)}, "shop_x", 1, 1, {}, known), IsEmpty());
  EXPECT_THAT(Meant({Idle("shop", 501)}, "shop_x", 1, 1, {}, known), IsEmpty());
  EXPECT_THAT(Meant({Idle("shop", 400)}, "shop_x", 1, 1, {"shop"}, known), IsEmpty());
  // Its name is no guess, whatever else is there.
  const PositionTrace numbered = {.position = Lsn(500), .slot = "shop_2"};
  EXPECT_THAT(Meant({Idle("shop", 500), Idle("shop_2", 400)}, "shop_x", 1, 1, {}, numbered),
              ElementsAre("shop_2"));
}

TEST(MayBeMeant, NothingThatIsReadOrIsAnothers) {
  FoundSlot read = Idle("read", 500);
  read.idle = false;
  EXPECT_THAT(Meant({read, Idle("other", 500), Idle("ours", 400)}, "shop_x", 1, 1, {"other"}),
              ElementsAre("ours"));
}

TEST(MayBeMeant, NoLaneOfASlot) {
  EXPECT_THAT(Meant({Idle("shop_x_2", 500), Idle("shop_x_old", 400)}), ElementsAre("shop_x_old"));
  FoundSlot first = Idle("other", 500);
  first.idle = false;
  EXPECT_THAT(Meant({first, Idle("other_2", 500)}), IsEmpty());
  EXPECT_THAT(Meant({Idle("shop_2024", 500)}), ElementsAre("shop_2024"));
}

TEST(MayBeMeant, OfSeveralSlotsTheOneWithTheSameNumber) {
  const std::vector<FoundSlot> found = {Idle("shop", 400), Idle("shop_2", 450), Idle("alone", 500)};
  EXPECT_THAT(Meant(found, "shop_x", 1, 2), ElementsAre("shop"));
  EXPECT_THAT(Meant(found, "shop_x_2", 2, 2), ElementsAre("shop_2"));
  EXPECT_THAT(Meant(found, "shop_x_3", 3, 3), IsEmpty());
}

TEST(MayBeMeant, ALaneThatIsMissingHasNoOtherNameWhereItsSiblingsAreThere) {
  EXPECT_THAT(Meant({Idle("shop", 400), Idle("crm", 450), Idle("crm_2", 450)}, "shop_2", 2, 2),
              IsEmpty());
  EXPECT_THAT(Meant({Idle("shop_2", 400), Idle("crm", 450), Idle("crm_2", 450)}, "shop", 1, 2),
              IsEmpty());
  EXPECT_THAT(Meant({Idle("crm", 450), Idle("crm_2", 450)}, "shop_2", 2, 2), ElementsAre("crm_2"));
}

class OtherSlotTest : public testing::Test {
 protected:
  ~OtherSlotTest() override {
    for (const char* name : {"ours", "busy", "decoded"}) EXPECT_TRUE(DropSlot(*sql_, name).ok());
  }
  Lsn Make(const std::string& name, const std::string& plugin = "pgoutput") {
    const std::string made =
        MustQuery(*sql_, absl::StrCat("SELECT lsn FROM pg_create_logical_replication_slot('", name,
                                      "', '", plugin, "')"));
    return *Lsn::Parse(made);
  }
  absl::Status CheckBy(const PositionTrace& trace, const SlotReaders& readers = {}) {
    return CheckSlotName(*sql_, "ours_x", {}, trace, readers);
  }
  // Of a position from elsewhere.
  absl::Status Check(Lsn position, const SlotReaders& readers = {}) {
    return CheckBy({.position = position, .exact = false}, readers);
  }

  postgres::DatabaseOptions database_ = PostgresServer::Shared().CreateDatabase();
  std::unique_ptr<postgres::Connection> sql_ = MustOpen(database_);
};

TEST_F(OtherSlotTest, OneThatNobodyReadsIsNamed) {
  Make("decoded", "test_decoding");
  const Lsn at = Make("ours");
  const absl::Status other = Check(at);
  EXPECT_EQ(ErrorReason(other), "slot_other_name") << other;
  EXPECT_TRUE(absl::IsFailedPrecondition(other));
  EXPECT_EQ(other.message(),
            absl::StrCat("slot.name is \"ours_x\", which the server does not have, and replication "
                         "slot \"ours\" of this database, which nobody reads, stands at ",
                         at.ToString(), ", the stored position"));
  EXPECT_THAT(ErrorHint(other), HasSubstr("set slot.name=ours, if "));
  const Lsn beyond(at.value() + 16);
  EXPECT_THAT(std::string(Check(beyond).message()),
              HasSubstr(absl::StrCat(", before the stored position ", beyond.ToString())));
  EXPECT_TRUE(Check(Lsn(at.value() - 1)).ok()) << "what lies between is not in it";
  EXPECT_FALSE(Check(at, {.at_position_only = true}).ok());
  EXPECT_TRUE(Check(beyond, {.at_position_only = true}).ok()) << "it may be anybody's";
  EXPECT_TRUE(Check(at, {.of_others = [] { return std::set<std::string>{"ours"}; }}).ok());
  EXPECT_THAT(ErrorHint(other), HasSubstr("another reader's, that one would lose those changes"));
}

TEST_F(OtherSlotTest, OneThatStandsBeforeAPositionThatWasStreamedToIsAnybodys) {
  const Lsn at = Make("ours");
  EXPECT_FALSE(CheckBy({.position = at}).ok());
  EXPECT_TRUE(CheckBy({.position = Lsn(at.value() + 16)}).ok());
}

TEST_F(OtherSlotTest, OfTwoNoneIsNamed) {
  Make("ours");
  const Lsn at = Make("decoded");
  EXPECT_TRUE(Check(at).ok());
  EXPECT_FALSE(CheckBy({.position = at, .slot = "ours"}).ok()) << "which of them is known";
}

TEST_F(OtherSlotTest, TheOneThatThePositionWasReadFromIsNamed) {
  const Lsn at = Make("ours"), beyond(at.value() + 16);
  const absl::Status other = CheckBy({.position = beyond, .slot = "ours"});
  EXPECT_THAT(std::string(other.message()),
              HasSubstr(absl::StrCat(", before the stored position ", beyond.ToString(),
                                     ", which was read from it")));
  EXPECT_THAT(ErrorHint(other),
              testing::StartsWith("set slot.name=ours, from which the stored position was read, "
                                  "and start the connector again"));
  EXPECT_FALSE(CheckBy({.position = beyond, .slot = "ours"}, {.at_position_only = true}).ok())
      << "it is nobody else's";
  EXPECT_TRUE(CheckBy({.position = at, .slot = "ours_x"}).ok()) << "it was dropped";
  EXPECT_TRUE(CheckBy({.position = at, .slot = "gone"}).ok());
}

TEST_F(OtherSlotTest, WhatIsReadOrOfAnotherDatabaseIsNot) {
  const Lsn at = Make("busy");
  const auto reader = MustOpen(database_, postgres::SessionKind::kReplication);
  MustQuery(*sql_, "CREATE PUBLICATION p FOR ALL TABLES");
  ASSERT_TRUE(reader
                  ->Run("START_REPLICATION SLOT busy LOGICAL 0/0 (proto_version '1', "
                        "publication_names 'p')")
                  .ok());
  // Another process of the connector, with the right name.
  EXPECT_THAT(std::string(Check(at, {.own = "walduct test"}).message()),
              HasSubstr("\"busy\" of this database, which a session of this connector reads"));
  const auto elsewhere = MustOpen(PostgresServer::Shared().CreateDatabase());
  MustQuery(*elsewhere, "SELECT pg_create_logical_replication_slot('ours', 'pgoutput')");
  EXPECT_TRUE(Check(Lsn(at.value() + (uint64_t{1} << 30))).ok());
}

}  // namespace
}  // namespace walduct::replication
