#include "base/whole_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>

namespace walduct {
namespace {

class WholeFileTest : public testing::Test {
 protected:
  WholeFileTest() {
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
  }
  ~WholeFileTest() override { std::filesystem::remove_all(folder_); }

  const std::filesystem::path folder_ =
      testing::TempDir() + "whole_file_test." + std::to_string(getpid());
  const std::string path_ = folder_ / "file";
};

TEST_F(WholeFileTest, IsReplacedAndReadAsAWhole) {
  EXPECT_FALSE(ReadWholeFile(path_));
  EXPECT_EQ(errno, ENOENT);
  const std::string content(10000, 'x');
  ASSERT_TRUE(ReplaceWholeFile(path_, content));
  ASSERT_TRUE(ReplaceWholeFile(path_, content + "y", {.durable = false}));
  EXPECT_EQ(ReadWholeFile(path_), content + "y");
  EXPECT_FALSE(std::filesystem::exists(TemporaryOf(path_)));
}

TEST_F(WholeFileTest, WhatIsTooLargeIsNotRead) {
  ASSERT_TRUE(ReplaceWholeFile(path_, "12345"));
  EXPECT_EQ(ReadWholeFile(path_, {.most = 5}), "12345");
  EXPECT_FALSE(ReadWholeFile(path_, {.most = 4}));
  EXPECT_EQ(errno, EFBIG);
}

TEST_F(WholeFileTest, KeepsItsModeAndFollowsNoLinkThatItShouldNot) {
  ASSERT_TRUE(ReplaceWholeFile(path_, "a", {.mode = 0600}));
  EXPECT_EQ(ModeOf(path_, 0644), 0600u);
  ASSERT_TRUE(ReplaceWholeFile(path_, "b"));
  EXPECT_EQ(ModeOf(path_, 0644), 0600u);
  const std::string link = folder_ / "link";
  ASSERT_EQ(symlink(path_.c_str(), link.c_str()), 0);
  EXPECT_EQ(ReadWholeFile(link), "b");
  EXPECT_FALSE(ReadWholeFile(link, {.follows_links = false}));
}

// A link where the temporary file is to be would have another file written.
TEST_F(WholeFileTest, ALinkInTheWayIsTakenAway) {
  const std::string other = folder_ / "other";
  ASSERT_TRUE(ReplaceWholeFile(other, "untouched"));
  ASSERT_EQ(symlink(other.c_str(), TemporaryOf(path_).c_str()), 0);
  ASSERT_TRUE(ReplaceWholeFile(path_, "a"));
  EXPECT_EQ(ReadWholeFile(other), "untouched");
  EXPECT_EQ(ReadWholeFile(path_), "a");
}

TEST_F(WholeFileTest, SaysWhyItCannotBeWrittenAndKeepsTheOldContent) {
  ASSERT_TRUE(ReplaceWholeFile(path_, "old"));
  std::filesystem::create_directory(TemporaryOf(path_));
  EXPECT_FALSE(ReplaceWholeFile(path_, "new"));
  EXPECT_EQ(errno, EEXIST);
  EXPECT_EQ(ReadWholeFile(path_), "old");
  EXPECT_FALSE(ReplaceWholeFile(folder_ / "none" / "file", "new"));
  EXPECT_EQ(errno, ENOENT);
}

}  // namespace
}  // namespace walduct
