#include "base/descriptors.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "base/error.h"

namespace walduct {
namespace {

// As it was, whatever a test has set.
class DescriptorsTest : public testing::Test {
 protected:
  DescriptorsTest() { getrlimit(RLIMIT_NOFILE, &before_); }
  ~DescriptorsTest() override {
    for (const int fd : taken_) close(fd);
    setrlimit(RLIMIT_NOFILE, &before_);
  }
  void Limit(uint64_t most) {
    const rlimit files = {.rlim_cur = most, .rlim_max = before_.rlim_max};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &files), 0);
  }
  void TakeAll() {
    for (int fd = dup(0); fd >= 0; fd = dup(0)) taken_.push_back(fd);
  }

  rlimit before_ = {};
  std::vector<int> taken_;
};

TEST_F(DescriptorsTest, FewThatAreLeftAreAnErrorBeforeAnythingBegins) {
  Limit(OpenDescriptors() + 100);
  EXPECT_TRUE(CheckDescriptors().ok());
  Limit(OpenDescriptors() + 10);
  const absl::Status few = CheckDescriptors();
  EXPECT_EQ(ErrorReason(few), "no_file_descriptor");
  EXPECT_TRUE(absl::StrContains(few.message(), std::to_string(MaxDescriptors())));
  EXPECT_TRUE(absl::StrContains(ErrorHint(few), "LimitNOFILE"));
}

TEST_F(DescriptorsTest, NoneAtAllIsSaidToo) {
  Limit(OpenDescriptors() + 8);
  TakeAll();
  EXPECT_EQ(ErrorReason(CheckDescriptors()), "no_file_descriptor");
}

TEST_F(DescriptorsTest, TheSoftLimitIsRaisedAndNeverLowered) {
  Limit(128);
  RaiseDescriptorLimit();
  EXPECT_EQ(MaxDescriptors(), std::min<rlim_t>(before_.rlim_max, 65536));
  const uint64_t raised = MaxDescriptors();
  RaiseDescriptorLimit();
  EXPECT_EQ(MaxDescriptors(), raised);
}

}  // namespace
}  // namespace walduct
