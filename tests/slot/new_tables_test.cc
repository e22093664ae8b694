#include "slot/incremental/new_tables.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "absl/strings/str_cat.h"
#include "slot/world/capture/captured_now.h"

namespace walduct::slot {
namespace {

using postgres::TableName;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Each of them by itself; or all tables.
replication::Coverage Sent(const std::vector<uint32_t>& relations, bool all = false) {
  replication::Coverage coverage{
      .publication = Oid{900}, .all_tables = all, .names_others = {}, .tables = {}};
  for (const uint32_t relation : relations) {
    coverage.tables[Oid{relation}] = {.named_by = {}, .sent = true};
    if (!all) coverage.tables[Oid{relation}].named_by = {Oid{relation + 1000}};
  }
  return coverage;
}

TableName Named(uint32_t relation, const std::string& table) {
  return {.relation = Oid{relation}, .schema = "public", .table = table};
}

// With what goes with positions.
class Kept {
 public:
  Kept(NewTables::Parts parts, const std::vector<TableName>& captured, const std::string& member)
      : tables_(NewTables::Create(With(std::move(parts)), captured, member)) {}

  NewTables* operator->() const { return tables_.get(); }
  // With one that is stored now.
  std::string Member() const { return event::FindMember(ledger_->At(0), event::kTablesMember); }

 private:
  NewTables::Parts With(NewTables::Parts parts) {
    parts.ledger = ledger_.get();
    return parts;
  }

  const std::unique_ptr<Ledger> ledger_ = std::make_unique<Ledger>();
  const std::unique_ptr<NewTables> tables_;
};

Kept With(const std::vector<TableName>& captured, const std::string& member = "",
          const std::string& lists = "all") {
  return {{.lists = lists, .signal_table = "public.signals"}, captured, member};
}

replication::Coverage Back(uint32_t relation) {
  replication::Coverage coverage = Sent({relation, 5});
  coverage.tables[Oid{relation}].named_by = {Oid{7000}};
  return coverage;
}

// What is shown, by a connector that gets it; and what ends.
struct Shown {
  std::vector<std::string> lacks, ended;

  NewTables::Parts Parts(bool asked_for = true) {
    return {.lists = "all",
            .signal_table = "public.signals",
            .asked_for = asked_for,
            .lacks =
                [this](const replication::CaptureFinding& finding) {
                  lacks.push_back(absl::StrCat(finding.reason, " ", finding.table));
                  return true;
                },
            .lacks_no_more = [this](const std::string& table) { ended.push_back(table); }};
  }
};

TEST(NewTablesTest, WhatIsCapturedGoesWithThePosition) {
  const auto tables = With({Named(1, "a"), Named(2, "b\"c")});
  EXPECT_THAT(tables.Member(), IsEmpty()) << "nothing is known before the stream";
  tables->Begin(Sent({1, 2}));
  EXPECT_THAT(tables.Member(), HasSubstr(R"(\"tables\":[\"public.a\",\"public.b\\\"c\"],)"));
}

TEST(NewTablesTest, WhatWasStoredIsKeptUntilTheStreamBegins) {
  const auto before = With({Named(1, "a")});
  before->Begin(Sent({1}));
  const std::string member = before.Member();
  const auto tables = With({Named(1, "a"), Named(2, "b")}, member, "other");
  EXPECT_EQ(tables.Member(), member);
  tables->Begin(Sent({1, 2}));
  EXPECT_THAT(tables.Member(), HasSubstr("public.b"));
  const auto back = With({Named(2, "b")}, tables.Member(), "another");
  back->Begin(Sent({2}));
  EXPECT_THAT(back.Member(), HasSubstr(R"(\"tables\":[\"public.b\"])")) << "not captured any more";
}

TEST(NewTablesTest, WhatThePublicationDoesNotNameIsNotCapturedYet) {
  const auto tables = With({Named(1, "a"), Named(2, "b")});
  tables->Begin(Sent({1}));
  EXPECT_THAT(tables.Member(), Not(HasSubstr("public.b")));
  tables->Came(Named(2, "b"), false);
  EXPECT_THAT(tables.Member(), HasSubstr("public.b"));
}

TEST(NewTablesTest, SettingsOfThePublicationGoWithThePosition) {
  replication::Coverage coverage = Sent({1});
  coverage.settings = "iudt 700";
  const auto tables = With({Named(1, "a")});
  tables->Begin(coverage);
  EXPECT_EQ(DecodeKnownTables(tables.Member())->settings, "iudt 700");
  coverage.settings = "iud 701";
  tables->Saw({Named(1, "a")}, coverage);
  EXPECT_EQ(DecodeKnownTables(tables.Member())->settings, "iud 701");
}

// Away and back between two looks: only the stream has seen the other name.
TEST(NewTablesTest, ATableThatHadAnotherNameForAWhileLacksRowsUntilItIsRead) {
  std::vector<std::string> lacking;
  Kept tables({.lists = "all",
               .signal_table = "",
               .lacks =
                   [&lacking](const replication::CaptureFinding& finding) {
                     lacking.push_back(absl::StrCat(finding.table, ": ", finding.detail));
                     return true;
                   }},
              {Named(1, "a")}, "");
  tables->Begin(Sent({1}));
  tables->Saw({Named(1, "a")}, Sent({1}));
  EXPECT_THAT(lacking, IsEmpty());
  tables->Went(Named(1, "a"));
  tables->Saw({}, Sent({}));
  EXPECT_THAT(lacking, IsEmpty()) << "it goes on under the other name: no gap that is closed";
  tables->Saw({Named(1, "a")}, Sent({1}));
  EXPECT_THAT(lacking, testing::ElementsAre("public.a: it had another name for a while"));
  EXPECT_THAT(tables.Member(), HasSubstr("away"));
  tables->WasRead("public.a");
  EXPECT_THAT(tables.Member(), Not(HasSubstr("away")));
  // Again, and the stream is sooner than the look.
  tables->Went(Named(1, "a"));
  tables->Came(Named(1, "a"), true);
  EXPECT_EQ(lacking.size(), 2u);
  tables->Saw({Named(1, "a")}, Sent({1}));
  EXPECT_EQ(lacking.size(), 2u) << "once";
}

// It came back before the stream has come to where it went: no look finds anything changed.
TEST(NewTablesTest, ATableThatTheStreamSeesGoIsJudgedAgain) {
  Shown shown;
  NewTables::Parts parts = shown.Parts();
  int looks = 0;
  parts.look = [&looks](bool again) { return again && ++looks > 0; };
  Kept tables(std::move(parts), {Named(1, "a")}, "");
  tables->Begin(Sent({1}));
  tables->Saw({Named(1, "a")}, Sent({1}));
  EXPECT_EQ(looks, 0);
  tables->Went(Named(1, "a"));
  EXPECT_EQ(looks, 1);
  tables->Saw({Named(1, "a")}, Sent({1}));
  EXPECT_THAT(shown.lacks, testing::ElementsAre("table_was_not_published public.a"));
}

TEST(NewTablesTest, ATableThatIsBackWithAnotherGapIsToldOnce) {
  Shown shown;
  const Kept tables(shown.Parts(), {Named(1, "a"), Named(5, "e")}, "");
  tables->Begin(Sent({1, 5}));
  tables->Went(Named(1, "a"));
  tables->Saw({Named(1, "a"), Named(5, "e")}, Back(1));
  EXPECT_THAT(tables.Member(), testing::AllOf(HasSubstr("back"), Not(HasSubstr("away"))));
  tables->WasRead("public.a");
  tables->Saw({Named(1, "a"), Named(5, "e")}, Back(1));
  EXPECT_EQ(shown.lacks.size(), 1u) << "it has not gone again";
}

TEST(CapturedBoxTest, WhoAsksIsHeardOnce) {
  CapturedBox box;
  EXPECT_FALSE(box.TakeAsks());
  box.Ask();
  EXPECT_TRUE(box.TakeAsks());
  EXPECT_FALSE(box.TakeAsks());
  box.SetSeen("1:1:");
  EXPECT_TRUE(box.TakeAsks()) << "no look has known it";
  box.SetSeen("2:2:");
  EXPECT_FALSE(box.TakeAsks());
}

TEST(NewTablesTest, DamageIsAsIfNothingWereStored) {
  for (const char* const member : {"1", "\"x\"", "\"{}\"", R"("{\"lists\":1,\"tables\":[]}")"}) {
    const auto tables = With({Named(1, "a")}, member);
    tables->Begin(Sent({1}));
    EXPECT_THAT(tables.Member(), HasSubstr("public.a")) << member;
  }
}

TEST(NewTablesTest, PositionsThatComeTogetherKnowTheTablesOfAll) {
  const auto one = With({Named(1, "a"), Named(2, "b")}), other = With({Named(3, "c")});
  one->Begin(Sent({1, 2}));
  other->Begin(Sent({3}));
  const std::string both = NewTables::Merge({one.Member(), other.Member()});
  EXPECT_THAT(both, HasSubstr(R"(\"tables\":[\"public.a\",\"public.b\",\"public.c\"],)"));
  EXPECT_EQ(With({}, both).Member(), both) << "it can be read again";
  EXPECT_THAT(NewTables::Merge({one.Member(), ""}), IsEmpty()) << "one is not known";
  EXPECT_THAT(NewTables::Merge({}), IsEmpty());
}

TEST(NewTablesTest, WhatALookFindsGoesWithThePositionsBehindIt) {
  const auto tables = With({Named(1, "a")});
  tables->Begin(Sent({1}));
  const std::string before = tables.Member();
  tables->Saw({Named(1, "a")}, Sent({1}));
  EXPECT_EQ(tables.Member(), before);
  tables->Saw({Named(2, "a"), Named(3, "b")}, Sent({2, 3}));
  const auto now = DecodeKnownTables(tables.Member());
  ASSERT_TRUE(now.has_value());
  EXPECT_EQ(now->tables.at("public.a").relation, Oid{2});
  EXPECT_EQ(now->tables.at("public.b").relation, Oid{3});
}

TEST(NewTablesTest, ATableThatIsMissingForOneLookIsRemembered) {
  const auto tables = With({Named(1, "a")});
  tables->Begin(Sent({1}));
  tables->Saw({}, Sent({}));
  EXPECT_THAT(tables.Member(), HasSubstr("public.a")) << "between DROP and CREATE";
  tables->Saw({}, Sent({}));
  EXPECT_THAT(tables.Member(), Not(HasSubstr("public.a"))) << "gone";
}

TEST(NewTablesTest, WhoLooksIsAskedForATableThatTheStreamComesTo) {
  bool looks = true;
  const Kept tables({.lists = "all", .signal_table = "", .look = [&](bool) { return looks; }},
                    {Named(1, "a")}, "");
  tables->Begin(Sent({1}));
  tables->Came(Named(2, "b"), false);
  EXPECT_THAT(tables.Member(), Not(HasSubstr("public.b"))) << "the look says how it is published";
  looks = false;
  tables->Came(Named(2, "b"), false);
  EXPECT_THAT(tables.Member(), HasSubstr("public.b"));
}

TEST(NewTablesTest, TheOidsOfAnotherSystemAreForgotten) {
  const auto before = With({Named(1, "a")});
  before->Begin(Sent({1}));
  const Kept tables({.lists = "all", .signal_table = "", .same_system = false}, {Named(7, "a")},
                    before.Member());
  EXPECT_EQ(tables.Member(), before.Member());
  testing::internal::CaptureStderr();
  tables->Begin(Sent({7}));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), Not(HasSubstr("created anew")));
  EXPECT_EQ(DecodeKnownTables(tables.Member())->tables.at("public.a").relation, Oid{7});
}

// As a table is told of: "was=1 is=2".
std::string ToldBy(const std::function<void()>& step) {
  testing::internal::CaptureStderr();
  step();
  return testing::internal::GetCapturedStderr();
}

TEST(NewTablesTest, ATableIsToldOfOnce) {
  const auto before = With({Named(1, "a"), Named(5, "e")});
  before->Begin(Sent({1, 5}));
  const auto tables = With({Named(2, "a"), Named(5, "e")}, before.Member());
  EXPECT_THAT(
      ToldBy([&] {
        tables->Begin(Sent({2, 5}));
      }),
      testing::AllOf(HasSubstr("created anew"), HasSubstr("table=public.a was=1 is=2"),
                     HasSubstr("execute-snapshot --table public.a"), Not(HasSubstr("public.e"))));
  EXPECT_THAT(ToldBy([&] { tables->Came(Named(2, "a"), false); }), IsEmpty());
  EXPECT_THAT(ToldBy([&] {
                tables->Saw({Named(2, "a"), Named(5, "e")}, Sent({2, 5}));
              }),
              IsEmpty());
  EXPECT_THAT(ToldBy([&] {
                tables->Saw({Named(3, "a"), Named(5, "e")}, Sent({3, 5}));
              }),
              HasSubstr("was=2 is=3"));
  EXPECT_THAT(ToldBy([&] { tables->Came(Named(9, "z"), true); }),
              HasSubstr("has had another name"));
  EXPECT_THAT(ToldBy([&] { tables->Came(Named(9, "z"), true); }), IsEmpty());
}

TEST(NewTablesTest, WhatNobodySentIsRememberedUntilItIsRead) {
  const auto before = With({Named(1, "a"), Named(5, "e")});
  before->Begin(Sent({1, 5}));
  Shown shown;
  std::string member;
  {
    const Kept tables(shown.Parts(), {Named(1, "a"), Named(5, "e")}, before.Member());
    tables->Begin(Back(1));
    EXPECT_THAT(shown.lacks, testing::ElementsAre("table_was_not_published public.a"));
    member = tables.Member();
    EXPECT_THAT(member, HasSubstr(R"(\"lacks\":[[\"back\",\"public\",\"a\",)"));
  }
  Shown again;
  const Kept tables(again.Parts(), {Named(1, "a"), Named(5, "e")}, member);
  tables->Begin(Back(1));
  EXPECT_EQ(again.lacks, shown.lacks) << "a restart forgets nothing";
  tables->WasRead("public.e");
  EXPECT_EQ(tables.Member(), member);
  tables->WasRead("public.a");
  EXPECT_THAT(tables.Member(), Not(HasSubstr("lacks")));
}

// A writer is open while the table comes into the publication, so that the look that judges it is a
// later one.
TEST(NewTablesTest, ARootThatIsJudgedLaterIsToldOnceAndAsWhatItIs) {
  replication::Coverage held = Sent({5});
  held.tables[Oid{2}] = {.named_by = {Oid{7000}}};
  held.tables[Oid{2}].HoldBack();
  held.names_others = {Oid{7000}};
  replication::Coverage sent = Sent({2, 5});
  sent.tables[Oid{2}].named_by = {Oid{7000}};
  sent.names_others = {Oid{7000}};
  const std::vector<TableName> captured = {Named(2, "a"), Named(5, "e")};
  for (const bool restarts : {false, true}) {
    const auto before = With({Named(1, "a"), Named(5, "e")});
    before->Begin(Sent({1, 5}));
    Shown shown;
    auto tables = std::make_unique<Kept>(shown.Parts(), captured, before.Member());
    testing::internal::CaptureStderr();
    (*tables)->Begin(held);
    EXPECT_THAT(shown.lacks, IsEmpty());
    if (restarts) {
      const std::string member = tables->Member();
      tables = std::make_unique<Kept>(shown.Parts(), captured, member);
      (*tables)->Begin(sent);
    } else {
      (*tables)->Saw(captured, sent);
    }
    (*tables)->Saw(captured, sent);
    EXPECT_THAT(shown.lacks, testing::ElementsAre("table_was_not_published public.a"));
    EXPECT_THAT(testing::internal::GetCapturedStderr(), Not(HasSubstr("all of it is sent")));
  }
}

// ALTER PUBLICATION … ADD TABLE and a snapshot of it typed at once.
TEST(NewTablesTest, WhatASnapshotHasReadSinceTheGapIsNotMissing) {
  for (const uint64_t oldest : {700, 701}) {
    const auto before = With({Named(1, "a"), Named(5, "e")});
    before->Begin(Sent({1, 5}));
    Shown shown;
    const Kept tables(shown.Parts(), {Named(1, "a"), Named(5, "e")}, before.Member());
    tables->Begin(Sent({1, 5}));
    tables->Saw({Named(1, "a"), Named(5, "e")}, Sent({5}));
    tables->WasReadWhole(
        Oid{1}, {.next_xid = oldest, .oldest = 701, .quiet = Oid{1}, .quiet_oldest = oldest});
    tables->WasRead("public.a");
    replication::Coverage back = Back(1);
    back.tables[Oid{1}].named_at = 700;
    tables->Saw({Named(1, "a"), Named(5, "e")}, back);
    EXPECT_EQ(shown.lacks.size(), oldest == 700 ? 1 : 0);
    // Another one behind that.
    back = Back(1);
    back.tables[Oid{1}].named_by = {Oid{8000}};
    back.tables[Oid{1}].named_at = 800;
    tables->Saw({Named(1, "a"), Named(5, "e")}, back);
    EXPECT_EQ(shown.lacks.size(), oldest == 700 ? 2 : 1) << "not before that";
  }
}

TEST(NewTablesTest, WhatATableLackedGoesWithIt) {
  const auto before = With({Named(1, "a"), Named(5, "e")});
  before->Begin(Sent({1, 5}));
  Shown shown;
  const Kept tables(shown.Parts(), {Named(1, "a"), Named(5, "e")}, before.Member());
  tables->Begin(Back(1));
  EXPECT_EQ(shown.lacks.size(), 1u);
  replication::Coverage anew = Sent({2, 5});
  anew.tables[Oid{2}].whole = true;
  EXPECT_THAT(ToldBy([&] {
                tables->Saw({Named(2, "a"), Named(5, "e")}, anew);
              }),
              HasSubstr("all of it is sent"));
  EXPECT_THAT(shown.ended, testing::ElementsAre("public.a"));
  EXPECT_EQ(shown.lacks.size(), 1u);
  EXPECT_THAT(tables.Member(), Not(HasSubstr("lacks")));
}

TEST(NewTablesTest, ATableWhoseTopicWasDeletedIsToldOfUntilItIsRead) {
  const auto before = With({Named(1, "a"), Named(5, "e")});
  before->Begin(Sent({1, 5}));
  Shown shown;
  std::string member;
  {
    NewTables::Parts parts = shown.Parts();
    parts.without_topic = {Named(1, "a"), Named(9, "unknown")};
    const Kept tables(std::move(parts), {Named(1, "a"), Named(5, "e")}, before.Member());
    tables->Begin(Sent({1, 5}));
    EXPECT_THAT(shown.lacks, testing::ElementsAre("topic_deleted public.a"));
    member = tables.Member();
  }
  Shown again;
  const Kept tables(again.Parts(), {Named(1, "a"), Named(5, "e")}, member);
  tables->Begin(Sent({1, 5}));
  EXPECT_EQ(again.lacks, shown.lacks) << "a restart forgets nothing";
  tables->WasRead("public.a");
  EXPECT_THAT(tables.Member(), Not(HasSubstr("lacks")));
}

TEST(NewTablesTest, WhatIsNotCapturedAnyMoreLacksNothing) {
  const auto before = With({Named(1, "a")});
  before->Begin(Sent({1}));
  Shown shown;
  const Kept tables(shown.Parts(), {Named(1, "a")}, before.Member());
  tables->Begin(Back(1));
  tables->Saw({}, Sent({}));
  EXPECT_THAT(shown.ended, IsEmpty()) << "it may come back";
  tables->Saw({}, Sent({}));
  EXPECT_THAT(shown.ended, testing::ElementsAre("public.a"));
}

TEST(NewTablesTest, ANewTableWithRowsLacksThemWhereItWasAskedFor) {
  for (const bool asked_for : {true, false}) {
    const auto before = With({Named(1, "a")});
    before->Begin(Sent({1}));
    Shown shown;
    const Kept tables(shown.Parts(asked_for), {Named(1, "a")}, before.Member());
    tables->Begin(Sent({1}));
    tables->Saw({Named(1, "a"), Named(2, "b")}, Sent({1, 2}));
    EXPECT_EQ(shown.lacks.size(), asked_for ? 1 : 0);
    replication::Coverage empty = Sent({1, 2, 3});
    empty.tables[Oid{3}].whole = true;
    tables->Saw({Named(1, "a"), Named(2, "b"), Named(3, "c")}, empty);
    EXPECT_EQ(shown.lacks.size(), asked_for ? 1 : 0) << "an empty one lacks nothing";
  }
}

TEST(NewTablesTest, ALongerListIsToldOfOnce) {
  const auto before = With({Named(1, "a")}, "", "other");
  before->Begin(Sent({1}));
  Shown shown;
  const Kept tables(shown.Parts(), {Named(1, "a"), Named(2, "b")}, before.Member());
  tables->Begin(Sent({1, 2}));
  EXPECT_THAT(shown.lacks, IsEmpty());
}

// Its rows of that time are in the WAL that nobody reads again.
TEST(NewTablesTest, ATableThatTheListsLeftOutForAWhileLacksRows) {
  const auto before = With({Named(1, "a"), Named(2, "b")});
  before->Begin(Sent({1, 2}));
  const auto without = With({Named(1, "a")}, before.Member(), "shorter");
  without->Begin(Sent({1}));
  const auto still = With({Named(1, "a")}, without.Member(), "shorter");
  still->Begin(Sent({1}));
  EXPECT_THAT(still.Member(), HasSubstr("left"));
  Shown shown;
  const Kept tables(shown.Parts(), {Named(1, "a"), Named(2, "b")}, still.Member());
  tables->Begin(Sent({1, 2}));
  EXPECT_THAT(shown.lacks, testing::ElementsAre("table_was_not_published public.b"));
  EXPECT_THAT(tables.Member(), Not(HasSubstr("left")));
  EXPECT_THAT(tables.Member(), HasSubstr("unlisted"));
  Shown later;
  const Kept again(later.Parts(), {Named(1, "a"), Named(2, "b")}, tables.Member());
  again->Begin(Sent({1, 2}));
  EXPECT_THAT(later.lacks, testing::ElementsAre("table_was_not_published public.b"))
      << "a restart does not end it";
  again->WasRead("public.b");
  EXPECT_THAT(again.Member(), Not(HasSubstr("unlisted")));
}

TEST(NewTablesTest, ATableMadeAnewWhileTheListsLeftItOutIsNoGap) {
  const auto before = With({Named(1, "a"), Named(2, "b")});
  before->Begin(Sent({1, 2}));
  const auto without = With({Named(1, "a")}, before.Member(), "shorter");
  without->Begin(Sent({1}));
  for (const bool whole : {true, false}) {
    Shown shown;
    const Kept tables(shown.Parts(), {Named(1, "a"), Named(3, "b")}, without.Member());
    replication::Coverage coverage = Sent({1, 3});
    coverage.tables[Oid{3}].whole = whole;
    tables->Begin(coverage);
    EXPECT_EQ(shown.lacks.size(), whole ? 0 : 1);
  }
}

TEST(NewTablesTest, WhereNothingListensTheHintSaysWhatToSet) {
  const Lack lack{.why = "back", .schema = "public", .table = "a"};
  EXPECT_EQ(FindingOf(lack, {}).argument, "public.a");
  const TableGap gap{.kind = TableGap::Kind::kBack, .table = Named(1, "a")};
  EXPECT_EQ(CommandFor(gap, {.who = "shop"}),
            "walduct signal execute-snapshot shop --table public.a");
  EXPECT_THAT(
      CommandFor(gap, {.who = "shop", .name = "shop", .signals = names::Called::Signals::kByName}),
      testing::AllOf(testing::StartsWith("start it with walduct.listen=127.0.0.1:8083"),
                     HasSubstr("type walduct signal execute-snapshot shop --table public.a")));
}

TEST(NewTablesTest, NobodyAsksWhereNoTablesAreTold) {
  EXPECT_EQ(NewTables::Create({}, std::nullopt, ""), nullptr);
}

}  // namespace
}  // namespace walduct::slot
