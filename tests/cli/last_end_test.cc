#include "cli/process/last_end.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace walduct::cli {
namespace {

using testing::HasSubstr;

class LastEndTest : public testing::Test {
 protected:
  LastEndTest() {
    std::string pattern = absl::StrCat(testing::TempDir(), "/ends-XXXXXX");
    root_ = mkdtemp(pattern.data());
    for (const char* const name : {"WALDUCT_STATE_DIRECTORY", "TMPDIR"})
      setenv(name, root_.c_str(), 1);
  }
  ~LastEndTest() override {
    for (const char* const name : {"WALDUCT_STATE_DIRECTORY", "TMPDIR"}) unsetenv(name);
    std::filesystem::remove_all(root_);
  }

  std::string root_;
  const http::Address at_{.host = "127.0.0.1", .port = 1};
};

TEST_F(LastEndTest, OfARunTheFilesAreKnownAfterwards) {
  const NotedConnector shop{
      .name = "shop", .offset_file = "", .doctor = "walduct doctor -f /etc/shop.json"};
  EndNotes({shop}, {at_}).Begin(absl::FromUnixSeconds(1));
  std::vector<std::string> denied;
  for (const std::vector<LastEnd>& ends : {EndsAt(at_, &denied), EndsOf({shop}, &denied)}) {
    ASSERT_EQ(ends.size(), 1u);
    EXPECT_EQ(ends.front().connector, "shop");
    EXPECT_EQ(ends.front().doctor, "walduct doctor -f /etc/shop.json");
  }
  EXPECT_THAT(EndsJson(EndsAt(at_, &denied)),
              HasSubstr(R"("doctor":"walduct doctor -f /etc/shop.json")"));
}

TEST_F(LastEndTest, OfOneThatEndedWithoutAWordTheLogMayTell) {
  const LastEnd gone{
      .connector = "shop", .state = "RUNNING", .at = absl::FromUnixSeconds(1), .pid = 0};
  EXPECT_TRUE(EndedWithoutAWord(gone));
  EXPECT_THAT(EndText(gone, absl::FromUnixSeconds(2)),
              testing::AllOf(HasSubstr("ended without a word: it crashed, was killed, or"),
                             HasSubstr("\n  hint     the last lines of its log may tell")));
  EXPECT_FALSE(EndedWithoutAWord({.connector = "shop", .state = "FAILED", .at = gone.at}));
}

// Under a first process that asks about nobody it keeps its number for ever.
TEST_F(LastEndTest, OneThatNobodyHasAskedAboutHasEndedAllTheSame) {
  const pid_t child = fork();
  if (child == 0) _exit(0);
  ASSERT_GT(child, 0);
  const LastEnd end{.connector = "shop", .state = "RUNNING", .at = {}, .pid = child};
  siginfo_t info = {};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  EXPECT_FALSE(Lives(end));
  EXPECT_TRUE(EndedWithoutAWord(end));
  EXPECT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(Lives({.connector = "shop", .state = "RUNNING", .at = {}, .pid = getpid()}));
}

TEST_F(LastEndTest, OfANameThatBeginsLikeItNothingIsTold) {
  const auto is_of_shop = [](const char* connector) {
    return IsOfConnector({.connector = connector, .state = "RUNNING", .at = {}}, "shop");
  };
  for (const char* const own : {"shop", "shop/2", "shop/12"}) EXPECT_TRUE(is_of_shop(own)) << own;
  for (const char* const other : {"shop-events", "shop-2", "shops", "sho", "", "shop/", "shop/a"})
    EXPECT_FALSE(is_of_shop(other)) << other;
}

TEST_F(LastEndTest, OfAWorkerItsStartIsKnownAfterwards) {
  WorkerNotes notes("group", {at_}, "walduct serve -w /etc/w");
  notes.Begin(absl::FromUnixSeconds(1));
  notes.End(absl::OkStatus(), 0, absl::FromUnixSeconds(2));
  std::vector<std::string> denied;
  const std::vector<LastEnd> ends = EndsAt(at_, &denied);
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(ends.front().state, "STOPPED");
  EXPECT_EQ(ends.front().start, "walduct serve -w /etc/w");
}

}  // namespace
}  // namespace walduct::cli
