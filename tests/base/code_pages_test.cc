#include "base/code_pages.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>

namespace walduct {
namespace {

// Resident pages that belong to files.
long FilePages() {
  std::ifstream statm("/proc/self/statm");
  long size = 0;
  long resident = 0;
  long shared = 0;
  statm >> size >> resident >> shared;
  return shared;
}

// Reads what is executable, so that there is something to give back.
int PageIn() {
  int sum = 0;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    if (line.find(" r-xp ") == std::string::npos || line.find('/') == std::string::npos) continue;
    char* end = nullptr;
    const auto first = std::strtoull(line.c_str(), &end, 16);
    const auto last = std::strtoull(end + 1, nullptr, 16);
    for (auto at = first; at < last; at += 4096)
      sum += *reinterpret_cast<const volatile char*>(at);  // NOLINT(performance-no-int-to-ptr)
  }
  return sum;
}

TEST(ReleaseCodePages, GivesThemBackAndTheProgramGoesOn) {
  static const std::string constant(100, 'x');
  const long before = FilePages();
  ReleaseCodePages();
  const long after = FilePages();
  EXPECT_LT(after, before / 2);
  EXPECT_EQ(constant, std::string(100, 'x'));
  ReleaseCodePages();
}

TEST(ReleaseCodePages, AgainOnlyAfterAWhile) {
  const absl::Duration begin = absl::Hours(1);
  ReleaseCodePagesAgain(begin);
  const long least = FilePages();
  PageIn();
  const long before = FilePages();
  ASSERT_GT(before, least);
  ReleaseCodePagesAgain(begin + absl::Seconds(7));
  EXPECT_GE(FilePages(), before);
  ReleaseCodePagesAgain(begin + absl::Seconds(8));
  EXPECT_LT(FilePages(), before);
}

}  // namespace
}  // namespace walduct
