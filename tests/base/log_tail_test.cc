#include "base/log_tail.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

namespace walduct::log {
namespace {

const absl::Time kThen = absl::FromUnixSeconds(1000);

TEST(LogTail, KeepsTheLastLinesOfEach) {
  LogTail tail;
  tail.Keep("a", Level::kInfo, kThen, "one");
  tail.Keep("b", Level::kWarn, kThen, "two");
  tail.Keep("a", Level::kError, kThen, "three");
  const std::vector<LogTail::Line> lines = tail.Read("a");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].text, "one");
  EXPECT_EQ(lines[1].number, 3u);
  EXPECT_EQ(lines[1].level, Level::kError);
  EXPECT_EQ(tail.Read("a", 1).size(), 1u);
  EXPECT_EQ(tail.Read("a", 3).size(), 0u);
  EXPECT_EQ(tail.Read("nobody").size(), 0u);
}

TEST(LogTail, IsBoundedInLinesAndBytes) {
  LogTail tail;
  for (int i = 0; i < 1000; ++i) tail.Keep("a", Level::kInfo, kThen, std::to_string(i));
  EXPECT_EQ(tail.Read("a").size(), LogTail::kLines);
  EXPECT_EQ(tail.Read("a").back().text, "999");
  for (int i = 0; i < 100; ++i) tail.Keep("a", Level::kInfo, kThen, std::string(10'000, 'x'));
  size_t bytes = 0;
  for (const LogTail::Line& line : tail.Read("a")) bytes += line.text.size();
  EXPECT_LE(bytes, LogTail::kBytes);
  EXPECT_GT(bytes, LogTail::kBytes / 2);
  for (size_t i = 0; i < 2 * LogTail::kNames; ++i)
    tail.Keep(std::to_string(i), Level::kInfo, kThen, "line");
  EXPECT_EQ(tail.Read(std::to_string(2 * LogTail::kNames - 1)).size(), 0u);
}

TEST(LogTail, ALongLineIsCutBetweenCharacters) {
  LogTail tail;
  tail.Keep("a", Level::kInfo, kThen, std::string(LogTail::kMostOfALine - 1, 'x') + "ß and more");
  EXPECT_EQ(tail.Read("a")[0].text, std::string(LogTail::kMostOfALine - 1, 'x') + "…");
}

TEST(LogTail, WhatIsGoneIsForgotten) {
  LogTail tail;
  for (const char* name : {"a", "b", ""}) tail.Keep(name, Level::kInfo, kThen, "line");
  tail.KeepOnly({"a"});
  EXPECT_EQ(tail.Read("a").size(), 1u);
  EXPECT_EQ(tail.Read("b").size(), 0u);
  EXPECT_EQ(tail.Read("").size(), 1u);
}

class StandingClock final : public Clock {
 public:
  absl::Time Now() override { return kThen; }
  absl::Duration Monotonic() override { return {}; }
};

// Process-wide: in a process of its own.
TEST(LogTailDeathTest, LinesAreKeptOnceThatIsAskedForAsTextAndByConnector) {
  EXPECT_EXIT(
      {
        Configure(Level::kInfo, Format::kJson);
        SetConnector("orders");
        Info("before");
        StandingClock clock;
        KeepLines(clock);
        Debug("not shown");
        Warn("slot", {{"name", "two words"}});
        std::thread([] { Info("of no connector"); }).join();
        const auto lines = KeptLines().Read("orders");
        const bool good = lines.size() == 1 && lines[0].text == "slot name=\"two words\"" &&
                          lines[0].at == kThen && KeptLines().Read("").size() == 1;
        std::exit(good ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace walduct::log
