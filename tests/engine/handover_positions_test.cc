// What a hand-over makes of stored positions, and of those that were forgotten in its middle.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "tests/engine/handover_fixture.h"

namespace walduct::engine {
namespace {

// A table that none of them had is new, wherever it comes to; one that comes from elsewhere is not.
TEST_F(HandoverTest, EachSlotLearnsWhichTablesWereCaptured) {
  const auto member = [](const std::string& tables) {
    return absl::StrCat(R"("{\"lists\":\"sum\",\"tables\":[)", tables, R"(]}")");
  };
  const std::string a = R"(\"public.a\")", b = R"(\"public.b\")", c = R"(\"public.c\")";
  const auto known = [this](int number) -> std::string {
    const auto& foreign = disk_.offsets.at(number).foreign;
    const auto found = foreign.find("walduct_tables");
    return found == foreign.end() ? "" : found->second;
  };
  for (const auto& [from, to] : {std::pair(2, 3), {3, 2}, {3, 1}, {1, 2}}) {
    for (int ends_at = -1; ends_at < 60; ++ends_at) {
      SCOPED_TRACE(absl::StrCat(from, ">", to, " ends at ", ends_at));
      RanWith(from);
      std::string all = a;
      disk_.offsets.at(1).foreign["walduct_tables"] = member(a);
      for (const int number : {2, 3}) {
        if (number > from) continue;
        disk_.offsets.at(number).foreign["walduct_tables"] = member(number == 2 ? b : c);
        absl::StrAppend(&all, ",", number == 2 ? b : c);
      }
      Fate fate{.ends_at = ends_at, .after = true};
      const bool done = Run(Config(to), &fate).ok();
      ASSERT_TRUE(done || Run(to).ok());
      for (int number = 1; number <= to; ++number) EXPECT_EQ(known(number), member(all)) << number;
      if (HasFailure()) return;
      if (done && ends_at >= 0) break;
    }
  }
  RanWith(2);
  disk_.offsets.at(1).foreign["walduct_tables"] = member(a);
  ASSERT_TRUE(Run(3).ok());
  for (int number = 1; number <= 3; ++number)
    EXPECT_EQ(known(number), "") << "what the second had is not known";
}

}  // namespace
}  // namespace walduct::engine
