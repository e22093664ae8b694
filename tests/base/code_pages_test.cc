#include "base/code_pages.h"

#include <gtest/gtest.h>

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

TEST(ReleaseCodePages, GivesThemBackAndTheProgramGoesOn) {
  static const std::string constant(100, 'x');
  const long before = FilePages();
  ReleaseCodePages();
  const long after = FilePages();
  EXPECT_LT(after, before / 2);
  EXPECT_EQ(constant, std::string(100, 'x'));
  ReleaseCodePages();
}

}  // namespace
}  // namespace walduct
