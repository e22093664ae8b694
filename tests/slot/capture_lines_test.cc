#include "slot/world/capture/capture_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace walduct::slot {
namespace {

using replication::CaptureFinding;
using testing::ElementsAre;
using testing::IsEmpty;

CaptureFinding Lacks(const std::string& table, bool loses = true) {
  return {.reason = "publication_lacks_tables",
          .table = table,
          .statement = "ALTER PUBLICATION p ADD TABLE " + table,
          .loses = loses};
}

class CaptureLinesTest : public testing::Test {
 protected:
  void Look(std::vector<CaptureFinding> findings, bool at_start = false) {
    now_ += absl::Seconds(10);
    lines_.Saw(std::move(findings), {.now = absl::UnixEpoch() + now_, .at_start = at_start});
  }
  void LookAgain() {
    now_ += absl::Seconds(10);
    lines_.SawTheSame();
  }
  // "warning tables", "notice tables", "ended tables".
  std::vector<std::string> Said() {
    const CaptureLines::News news = lines_.Take(now_, absl::Minutes(5), wish_);
    std::vector<std::string> said;
    for (const auto& line : news.warnings) said.push_back("warning " + line.tables);
    for (const auto& line : news.notices) said.push_back("notice " + line.tables);
    for (const auto& [reason, tables] : news.ended) said.push_back("ended " + tables);
    return said;
  }

  absl::Duration now_;
  replication::CaptureWish wish_;
  CaptureLines lines_;
};

TEST_F(CaptureLinesTest, WhatOneLookSeesIsNotSaid) {
  Look({Lacks("public.a")});
  EXPECT_THAT(Said(), IsEmpty());
  EXPECT_THAT(lines_.Problems(wish_), IsEmpty());
  Look({});
  EXPECT_THAT(Said(), IsEmpty()) << "nor that it has passed";
}

TEST_F(CaptureLinesTest, MoreTablesAreHintedAtWhereSomeAreLeftOut) {
  std::vector<CaptureFinding> findings = {{.reason = "no_tables_captured"}};
  Look(findings);
  Look(findings);
  EXPECT_THAT(Said(), ElementsAre("warning ")) << "it is of no table";
  findings.clear();
  for (int i = 0; i < 21; ++i) findings.push_back(Lacks(absl::StrCat("public.", i)));
  Look(findings);
  Look(findings);
  EXPECT_THAT(Said(), testing::Contains(testing::EndsWith(", …")));
}

TEST_F(CaptureLinesTest, WhatIsMendedIsOverAtOnce) {
  Look({Lacks("public.a"), Lacks("public.b")});
  Look({Lacks("public.a"), Lacks("public.b")});
  Said();
  lines_.End(Lacks("public.a"));
  EXPECT_THAT(Said(), ElementsAre("ended public.a"));
  EXPECT_EQ(lines_.Problems(wish_).size(), 1u);
  EXPECT_FALSE(lines_.keeps());
}

// A gap that is closed may have cost changes, which are found out a moment later.
TEST_F(CaptureLinesTest, WhatIsClosedStandsUntilItIsKnownWhatItHasCost) {
  Look({Lacks("public.a")});
  Look({Lacks("public.a")});
  EXPECT_THAT(Said(), ElementsAre("warning public.a"));
  EXPECT_FALSE(lines_.undecided());
  const CaptureLines::When keeps{.now = absl::UnixEpoch() + now_, .keeps = true};
  lines_.Saw({}, keeps);
  EXPECT_THAT(Said(), IsEmpty());
  EXPECT_EQ(lines_.Problems(wish_).size(), 1u);
  EXPECT_TRUE(lines_.undecided()) << "another look is wanted soon";
  lines_.Saw({Lacks("public.a")}, keeps);
  lines_.Settle();
  EXPECT_EQ(lines_.Problems(wish_).size(), 1u) << "it is open again";
  lines_.Saw({}, keeps);
  lines_.Settle();
  CaptureFinding cost{.reason = "table_was_not_published", .table = "public.a", .at_once = true};
  lines_.Saw({cost}, keeps);
  ASSERT_EQ(lines_.Problems(wish_).size(), 1u);
  EXPECT_EQ(lines_.Problems(wish_).front().reason, "table_was_not_published");
  EXPECT_THAT(Said(), ElementsAre("warning public.a", "ended public.a"));
}

TEST_F(CaptureLinesTest, ALookOutOfTurnIsNoSecondOne) {
  Look({Lacks("public.a")});
  lines_.Saw({Lacks("public.a")}, {.now = absl::UnixEpoch() + now_, .in_turn = false});
  EXPECT_THAT(Said(), IsEmpty());
  LookAgain();
  EXPECT_THAT(Said(), ElementsAre("warning public.a"));
}

TEST_F(CaptureLinesTest, WhatStandsIsSaidAgainAndAgain) {
  Look({Lacks("public.a")});
  Said();
  LookAgain();
  EXPECT_THAT(Said(), ElementsAre("warning public.a"));
  LookAgain();
  EXPECT_THAT(Said(), IsEmpty());
  for (int i = 0; i < 29; ++i) LookAgain();
  EXPECT_THAT(Said(), ElementsAre("warning public.a"));
  const auto problems = lines_.Problems(wish_);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].since, absl::UnixEpoch() + absl::Seconds(10)) << "when it was first seen";
  Look({});
  EXPECT_THAT(Said(), ElementsAre("ended public.a"));
  EXPECT_THAT(lines_.Problems(wish_), IsEmpty());
}

TEST_F(CaptureLinesTest, AnotherTableIsSaidAtOnceWithTheOthers) {
  Look({Lacks("public.a")});
  LookAgain();
  Said();
  Look({Lacks("public.a"), Lacks("public.b")});
  EXPECT_THAT(Said(), IsEmpty());
  LookAgain();
  EXPECT_THAT(Said(), ElementsAre("warning public.a, public.b"));
}

TEST_F(CaptureLinesTest, SomethingNeedsNoSecondLook) {
  CaptureFinding finding = Lacks("public.a");
  finding.at_once = true;
  Look({finding});
  EXPECT_THAT(Said(), ElementsAre("warning public.a"));
}

TEST_F(CaptureLinesTest, WhatIsOnlyWorthKnowingIsSaidOnce) {
  Look({Lacks("public.a", false)});
  LookAgain();
  EXPECT_THAT(Said(), ElementsAre("notice public.a"));
  for (int i = 0; i < 100; ++i) LookAgain();
  EXPECT_THAT(Said(), IsEmpty());
  EXPECT_EQ(lines_.Problems(wish_).size(), 1u);
}

TEST_F(CaptureLinesTest, AndNotWhatTheStartHasSaid) {
  Look({Lacks("public.a", false), Lacks("public.b")}, true);
  LookAgain();
  EXPECT_THAT(Said(), ElementsAre("warning public.b"));
}

TEST_F(CaptureLinesTest, NamesTwentyOfMany) {
  std::vector<CaptureFinding> many;
  for (int i = 0; i < 30; ++i) many.push_back(Lacks("public.t" + std::to_string(i)));
  Look(many);
  LookAgain();
  Said();
  const auto problems = lines_.Problems(wish_);
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].count, 30u);
  EXPECT_EQ(problems[0].tables.size(), 20u);
}

}  // namespace
}  // namespace walduct::slot
