#include "base/memory_limit.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace walduct {
namespace {

class MemoryLimitTest : public ::testing::Test {
 protected:
  MemoryLimitTest() { std::filesystem::remove_all(root_); }
  ~MemoryLimitTest() override { std::filesystem::remove_all(root_); }

  void Write(const std::string& path, const std::string& text) {
    const std::filesystem::path whole = root_ / path;
    std::filesystem::create_directories(whole.parent_path());
    std::ofstream(whole) << text;
  }
  std::optional<uint64_t> Limit() const {
    return MemoryLimit((root_ / "groups").string(), (root_ / "own").string());
  }

  const std::filesystem::path root_ =
      std::filesystem::path(::testing::TempDir()) /
      ::testing::UnitTest::GetInstance()->current_test_info()->name();
};

TEST_F(MemoryLimitTest, NoneWhereNothingCanBeRead) { EXPECT_EQ(Limit(), std::nullopt); }

TEST_F(MemoryLimitTest, OfAContainer) {
  Write("own", "0::/\n");
  Write("groups/memory.max", "67108864\n");
  EXPECT_EQ(Limit(), 67108864);
}

TEST_F(MemoryLimitTest, TheSmallestOfThoseAbove) {
  Write("own", "0::/system.slice/walduct@a.service\n");
  Write("groups/system.slice/walduct@a.service/memory.max", "max\n");
  EXPECT_EQ(Limit(), std::nullopt);
  Write("groups/system.slice/memory.max", "1000000\n");
  EXPECT_EQ(Limit(), 1000000);
  Write("groups/system.slice/walduct@a.service/memory.max", "400000\n");
  EXPECT_EQ(Limit(), 400000);
}

TEST_F(MemoryLimitTest, APathOfTheHostLeavesTheRoot) {
  Write("own", "0::/../../docker/0123\n");
  Write("groups/memory.max", "5000000\n");
  EXPECT_EQ(Limit(), 5000000);
}

TEST_F(MemoryLimitTest, OfVersion1) {
  Write("own", "3:cpu,cpuacct:/\n4:memory:/docker/0123\n0::/\n");
  Write("groups/memory/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(Limit(), std::nullopt);
  Write("groups/memory/docker/0123/memory.limit_in_bytes", "200000\n");
  EXPECT_EQ(Limit(), 200000);
}

}  // namespace
}  // namespace walduct
