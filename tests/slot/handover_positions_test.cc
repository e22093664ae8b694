// What a hand-over makes of stored positions, and of those that were forgotten in its middle.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "slot/world/known/known_tables.h"
#include "tests/slot/handover_fixture.h"

namespace walduct::slot {
namespace {

// A table that none of them had is new, wherever it comes to; one that comes from elsewhere is not.
TEST_F(HandoverTest, EachSlotLearnsWhichTablesWereCaptured) {
  const auto member = [](const std::string& tables) {
    return absl::StrCat(R"("{\"lists\":\"sum\",\"tables\":[)", tables, R"(]}")");
  };
  const std::string a = R"(\"public.a\")", b = R"(\"public.b\")", c = R"(\"public.c\")";
  const auto known = [this](int number) -> std::string {
    const std::string& stored =
        event::FindMember(disk_.offsets.at(number).members, event::kTablesMember);
    if (stored.empty()) return "";
    std::string names;
    const std::optional<KnownTables> decoded = DecodeKnownTables(stored);
    for (const auto& [name, table] : decoded->tables) {
      absl::StrAppend(&names, names.empty() ? "" : ",", R"(\")", name, R"(\")");
      EXPECT_TRUE(table.named_by.empty()) << "that was another slot's publication";
    }
    return names;
  };
  for (const auto& [from, to] : {std::pair(2, 3), {3, 2}, {3, 1}, {1, 2}}) {
    for (int ends_at = -1; ends_at < 60; ++ends_at) {
      SCOPED_TRACE(absl::StrCat(from, ">", to, " ends at ", ends_at));
      RanWith(from);
      std::string all = a;
      disk_.offsets.at(1).members["walduct_tables"] = member(a);
      for (const int number : {2, 3}) {
        if (number > from) continue;
        disk_.offsets.at(number).members["walduct_tables"] = member(number == 2 ? b : c);
        absl::StrAppend(&all, ",", number == 2 ? b : c);
      }
      Fate fate{.ends_at = ends_at, .after = true};
      const bool done = Run(Config(to), &fate).ok();
      ASSERT_TRUE(done || Run(to).ok());
      for (int number = 1; number <= to; ++number) EXPECT_EQ(known(number), all) << number;
      if (HasFailure()) return;
      if (done && ends_at >= 0) break;
    }
  }
  RanWith(2);
  disk_.offsets.at(1).members["walduct_tables"] = member(a);
  ASSERT_TRUE(Run(3).ok());
  EXPECT_EQ(known(1), a) << "as before: what the second had is not known";
  for (const int number : {2, 3}) EXPECT_EQ(known(number), "");
  ASSERT_TRUE(Run(1).ok());
  EXPECT_EQ(known(1), "") << "it has got tables that are not in there";
}

class ResetTest : public HandoverTest {
 protected:
  // A hand-over that ended at that call, and positions of which the first ones are left. False: it
  // came to its end.
  bool IsUnderstood(int from, int to, int ends_at, int left) {
    RanWith(from);
    Fate fate{.ends_at = ends_at, .after = true};
    if (Run(Config(to), &fate).ok()) return false;
    for (int number = std::max(from, to); number > left; --number) disk_.offsets.erase(number);
    // All was done: a slot without a position begins anew by itself.
    if (!offset::IsHandoverDue(disk_.offsets.at(1), to)) return true;
    const absl::Status status = Run(to);
    if (status.ok()) {
      ExpectAllIsWell(to);
      return true;
    }
    ++refused_;
    const std::string reason = ErrorReason(status);
    EXPECT_TRUE(reason == "offset_missing" || reason == "slots_changed") << status;
    EXPECT_FALSE(ErrorHint(status).empty());
    EXPECT_TRUE(offset::IsHandoverDue(disk_.offsets.at(1), to)) << "the next start knows, too";
    return true;
  }
  int refused_ = 0;
};

// `walduct offsets reset` forgets the last slot's position first. Whatever it has left, a start
// loses nothing: it goes on, or says what is missing.
TEST_F(ResetTest, OneThatWasInterruptedIsUnderstood) {
  for (const auto& [from, to] : {std::pair(1, 3), {2, 3}, {3, 2}, {3, 1}}) {
    for (int left = 1; left < std::max(from, to); ++left) {
      int ends_at = 0;
      while (IsUnderstood(from, to, ends_at, left) && !HasFailure()) ++ends_at;
      ASSERT_FALSE(HasFailure()) << from << ">" << to << " ends at " << ends_at << ", " << left;
      EXPECT_GT(ends_at, 10);
    }
  }
  EXPECT_GT(refused_, 0);
}

}  // namespace
}  // namespace walduct::slot
