// By which a row that is polled is known again.
#include "poll/session/row_name.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "absl/strings/str_cat.h"

namespace walduct::poll {
namespace {

std::pair<uint64_t, uint64_t> Of(uint64_t table, const std::vector<std::string>& texts) {
  RowNamer namer(table);
  for (const std::string& text : texts) namer.Add(text);
  return {namer.name().high, namer.name().low};
}

TEST(RowName, IsTheSameForTheSameRowOnly) {
  EXPECT_EQ(Of(16384, {"7", "2026"}), Of(16384, {"7", "2026"}));
  EXPECT_NE(Of(16384, {"7", "2026"}), Of(16385, {"7", "2026"})) << "another table";
  EXPECT_NE(Of(16384, {"7", "2026"}), Of(16384, {"7", "2027"})) << "ids that began anew";
  EXPECT_NE(Of(16384, {"a", "bc"}), Of(16384, {"ab", "c"}));
  std::set<uint64_t> high, low;
  constexpr int kRows = 100000;
  for (int id = 0; id < kRows; ++id) {
    const auto name = Of(16384, {absl::StrCat(id)});
    high.insert(name.first);
    low.insert(name.second);
  }
  EXPECT_EQ(high.size(), kRows);
  EXPECT_EQ(low.size(), kRows);
}

}  // namespace
}  // namespace walduct::poll
