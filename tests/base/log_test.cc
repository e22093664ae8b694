#include "base/log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>

namespace walduct::log {
namespace {

template <typename Write>
std::string Logged(Write write) {
  testing::internal::CaptureStderr();
  write();
  return testing::internal::GetCapturedStderr();
}

// The formats are process-wide: each test runs in its own process, or sets what it needs.
TEST(LogDeathTest, TextLineHasTimeLevelConnectorMessageAndFields) {
  EXPECT_EXIT(
      {
        Configure(Level::kInfo, Format::kText);
        SetConnector("orders");
        Info("slot created", {{"slot", "debezium"},
                              {"tables", 3},
                              {"note", "two words"},
                              {"empty", ""},
                              {"hint", ""}});
        std::exit(0);
      },
      testing::ExitedWithCode(0),
      "^[0-9]+-[0-9]+-[0-9]+T[0-9:.]+Z info +.orders. slot created slot=debezium tables=3 "
      "note=\"two words\" empty=\"\"\n$");
}

TEST(LogDeathTest, JsonLineIsOneObject) {
  EXPECT_EXIT(
      {
        Configure(Level::kInfo, Format::kJson);
        SetConnector("orders");
        Warn("said \"no\"", {{"path", "a\\b"}, {"hint", ""}, {"tables", 3}});
        std::exit(0);
      },
      testing::ExitedWithCode(0),
      "^.\"time\":\"[^\"]+Z\",\"level\":\"warning\",\"message\":\"said "
      "..no..\",\"connector\":\"orders\",\"path\":\"a..b\""
      ",\"tables\":3.\n$");
}

// A table's name can hold any character: none of them may forge a line or colour a terminal.
TEST(LogDeathTest, ATextLineIsOneLineWithoutControlCharacters) {
  EXPECT_EXIT(
      {
        Configure(Level::kInfo, Format::kText);
        SetConnector("a\nb");
        Info("said\n2026-01-01 error", {{"table", "t\x1B[2J"}, {"bad", "\xFF"}});
        std::exit(0);
      },
      testing::ExitedWithCode(0),
      "^[^ ]+ info +.a.nb. said.n2026-01-01 error table=\"t.u001B.2J\" "
      "bad=\"\xEF\xBF\xBD\"\n$");
}

TEST(LogDeathTest, JsonIsValidUtf8) {
  EXPECT_EXIT(
      {
        Configure(Level::kInfo, Format::kJson);
        Info("a\xFFz", {{"name", "b\xC3"}});
        std::exit(0);
      },
      testing::ExitedWithCode(0), "\"message\":\"a\xEF\xBF\xBDz\",\"name\":\"b\xEF\xBF\xBD\".\n$");
}

TEST(LogDeathTest, LinesBelowTheLevelAreLeftOut) {
  EXPECT_EXIT(
      {
        Configure(Level::kWarn, Format::kText);
        Debug("debug");
        Info("information");
        Warn("warned");
        Error("failed");
        std::exit(0);
      },
      testing::ExitedWithCode(0), "^[^ ]+ warning warned\n[^ ]+ error +failed\n$");
}

TEST(Log, AFieldCannotForgeALine) {
  Configure(Level::kInfo, Format::kText);
  const std::string logged = Logged([] { Info("query failed", {{"table", "a\nforged line"}}); });
  EXPECT_EQ(std::count(logged.begin(), logged.end(), '\n'), 1) << logged;
}

TEST(LogDeathTest, ARoomMayHaveALevelOfItsOwn) {
  EXPECT_EXIT(
      {
        Configure(Level::kInfo, Format::kText);
        SetLevel("engine", Level::kDebug);
        SetLevel("sink", Level::kError);
        Debug("one", {}, "/src/project/src/engine/lifecycle/connector.cc");
        Debug("two", {}, "/project/src/kafka/producer.cc");
        Warn("three", {}, "/project/src/sink/sink.cc");
        Info("four", {}, "elsewhere.cc");
        SetLevel(Level::kWarn);
        Info("five", {}, "/project/src/engine/engine.cc");
        Warn("six", {}, "/project/src/sink/sink.cc");
        std::exit(0);
      },
      testing::ExitedWithCode(0), "^[^\n]+ one\n[^\n]+ four\n[^\n]+ six\n$");
}

// Without the file being named.
TEST(LogDeathTest, ALineIsOfTheRoomThatWritesIt) {
  EXPECT_EXIT(
      {
        Configure(Level::kError, Format::kText);
        Warn("hidden");
        SetLevel("", Level::kInfo);  // of tests
        Info("shown");
        std::exit(0);
      },
      testing::ExitedWithCode(0), "^[^\n]+ shown\n$");
}

}  // namespace
}  // namespace walduct::log
