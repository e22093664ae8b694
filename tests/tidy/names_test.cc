// Names, headers and words that must not appear.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "tests/tidy/source_tree.h"

namespace walduct::tidy {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Words that say nothing about what is inside.
const std::set<std::string>& EmptyWords() {
  static const std::set<std::string> words = {"util",     "utils", "helper", "helpers", "manager",
                                              "managers", "data",  "info",   "common",  "misc"};
  return words;
}

void CheckFileName(const SourceFile& file, Findings* findings) {
  static const std::regex kSnakeCase("[a-z0-9]+(_[a-z0-9]+)*\\.(h|cc)");
  const std::filesystem::path path(file.path);
  if (!std::regex_match(path.filename().string(), kSnakeCase)) {
    AddFinding(file, 1, "file names are snake_case", findings);
  }
  const std::vector<std::string> words = absl::StrSplit(path.stem().string(), '_');
  for (const std::string& word : words) {
    if (EmptyWords().count(word) == 0) continue;
    AddFinding(file, 1,
               absl::StrCat("'", word, "' in a file name says nothing: name what is inside"),
               findings);
  }
}

void CheckHeader(const SourceFile& file, Findings* findings) {
  if (!absl::StartsWith(file.text, "// "))
    AddFinding(file, 1, "a header begins with a comment: its contract", findings);
  if (!absl::StrContains(file.text, "\n#pragma once\n"))
    AddFinding(file, 1, "a header has #pragma once", findings);
}

// Whether word stands in line with no letter, digit or underscore around it.
bool HasWord(absl::string_view line, absl::string_view word) {
  const auto touches = [&](size_t i) {
    return i < line.size() && internal::IsWordCharacter(line[i]);
  };
  for (size_t at = line.find(word); at != absl::string_view::npos; at = line.find(word, at + 1)) {
    const bool begins =
        at == 0 || !internal::IsWordCharacter(line[at - 1]) || !internal::IsWordCharacter(word[0]);
    const bool ends = !touches(at + word.size()) || !internal::IsWordCharacter(word.back());
    if (begins && ends) return true;
  }
  return false;
}

struct Ban {
  std::vector<std::string> words;
  std::string rule;
};

void CheckWords(const SourceFile& file, const std::string& text, const Ban& ban,
                Findings* findings) {
  size_t number = 0;
  for (const absl::string_view line : Lines(text)) {
    ++number;
    for (const std::string& word : ban.words) {
      if (HasWord(line, word))
        AddFinding(file, number, absl::StrCat("'", word, "': ", ban.rule), findings);
    }
  }
}

const Ban& StandardStringView() {
  static const Ban ban = {{"std::string_view"},
                          "absl::string_view is another type on Debian 12; use that everywhere"};
  return ban;
}

const Ban& Clocks() {
  static const Ban ban = {
      {"sleep", "usleep", "nanosleep", "sleep_for", "sleep_until", "SleepFor", "system_clock",
       "steady_clock", "high_resolution_clock", "clock_gettime", "gettimeofday", "absl::Now",
       "std::time"},
      "only base sleeps or reads a clock; take an Environment, a Clock or a Poller"};
  return ban;
}

// A thread beside the data thread waits for its own work; no simulation has it.
bool HasAThreadOfItsOwn(absl::string_view path) {
  static constexpr absl::string_view kPaths[] = {"src/admin/console/history.cc",
                                                 "src/slot/attempts/slot_monitor.cc",
                                                 "src/slot/world/watch/server_watch.cc",
                                                 "src/slot/world/watch/slot_xmin.cc",
                                                 "src/slot/world/watch/watch_sessions.cc",
                                                 "src/http/listener.cc",
                                                 "src/http/transfer_loop.cc",
                                                 "src/incremental/open_channels.cc",
                                                 "src/outbox/cleanup_thread.cc",
                                                 "src/postgres/cancel_request.cc",
                                                 "src/registry/registry_client.cc"};
  return std::find(std::begin(kPaths), std::end(kPaths), path) != std::end(kPaths);
}

const Ban& Waits() {
  static const Ban ban = {{"wait_for", "wait_until", "ppoll", "epoll_wait"},
                          "the data thread waits by a Poller only"};
  return ban;
}

// Whoever takes the real clock or poller by itself cannot be simulated.
const Ban& RealTime() {
  static const Ban ban = {{"Clock::Real", "Poller::Real", "Environment::Real"},
                          "only cli and base know the real ones; have them handed in"};
  return ban;
}

bool MayNameRealTime(absl::string_view path) {
  // The century of a year with two digits, when nobody hands in a clock.
  if (path == "src/java/time/simple_date_format.h") return true;
  return absl::StartsWith(path, "src/base/") || absl::StartsWith(path, "src/cli/");
}

const Ban& Exceptions() {
  static const Ban ban = {{"throw"}, "errors are absl::Status"};
  return ban;
}

// Put together here, or this file would find itself.
const Ban& Marks() {
  static const Ban ban = {{std::string("TO") + "DO", std::string("FIX") + "ME",
                           std::string("XX") + "X", std::string("HA") + "CK"},
                          "finish it, or open an issue"};
  return ban;
}

const Ban& SkippedTests() {
  static const Ban ban = {{std::string("GTEST") + "_SKIP", std::string("DISABLED") + "_"},
                          "a test runs or does not exist"};
  return ban;
}

TEST(Names, FilesSayWhatIsInside) {
  Findings findings;
  for (const SourceFile& file : ReadTree({"src", "tests", "bench"}, {".h", ".cc"}))
    CheckFileName(file, &findings);
  EXPECT_THAT(findings, IsEmpty()) << Report(findings);
}

TEST(Names, HeadersBeginWithTheirContract) {
  Findings findings;
  for (const SourceFile& file : ReadTree({"src", "tests", "bench"}, {".h"}))
    CheckHeader(file, &findings);
  EXPECT_THAT(findings, IsEmpty()) << Report(findings);
}

TEST(Names, EveryRoomHasAShortReadme) {
  for (const std::string& room : Rooms()) {
    const std::filesystem::path path = Root() / "src" / room / "README.md";
    EXPECT_TRUE(std::filesystem::exists(path))
        << "src/" << room << "/README.md:1: every room has one";
    EXPECT_LE(Lines(ReadText(path)).size(), 40u)
        << "src/" << room << "/README.md:41: at most 40 lines";
  }
}

TEST(Names, NoStandardStringView) {
  Findings findings;
  for (const SourceFile& file : ReadTree({"src"}, {".h", ".cc"})) {
    CheckWords(file, file.code, StandardStringView(), &findings);
  }
  EXPECT_THAT(findings, IsEmpty()) << Report(findings);
}

TEST(Names, OnlyBaseSleepsAndReadsClocks) {
  Findings findings;
  for (const SourceFile& file : ReadTree({"src"}, {".h", ".cc"})) {
    if (RoomOf(file) == "base") continue;
    CheckWords(file, file.code, Clocks(), &findings);
    if (!HasAThreadOfItsOwn(file.path)) CheckWords(file, file.code, Waits(), &findings);
  }
  EXPECT_THAT(findings, IsEmpty()) << Report(findings);
}

TEST(Names, ClocksAndWaitsAreHandedIn) {
  Findings findings;
  for (const SourceFile& file : ReadTree({"src"}, {".h", ".cc"})) {
    if (!MayNameRealTime(file.path)) CheckWords(file, file.code, RealTime(), &findings);
  }
  EXPECT_THAT(findings, IsEmpty()) << Report(findings);
}

TEST(Names, NoExceptionsOfOurs) {
  Findings findings;
  for (const SourceFile& file : ReadTree({"src"}, {".h", ".cc"}))
    CheckWords(file, file.code, Exceptions(), &findings);
  EXPECT_THAT(findings, IsEmpty()) << Report(findings);
}

TEST(Names, NoUnfinishedWork) {
  Findings findings;
  for (const SourceFile& file : ReadTree({"src", "tests", "bench", "scripts", "cmake"},
                                         {".h", ".cc", ".py", ".cmake", ""})) {
    CheckWords(file, file.text, Marks(), &findings);
  }
  EXPECT_THAT(findings, IsEmpty()) << Report(findings);
}

TEST(Names, NoTestIsSkipped) {
  Findings findings;
  for (const SourceFile& file : ReadTree({"tests"}, {".h", ".cc"}))
    CheckWords(file, file.code, SkippedTests(), &findings);
  EXPECT_THAT(findings, IsEmpty()) << Report(findings);
}

TEST(NamesRule, FindsNamesThatSayNothing) {
  Findings findings;
  CheckFileName(MakeSource("src/base/string_utils.cc", ""), &findings);
  CheckFileName(MakeSource("src/base/CamelCase.h", ""), &findings);
  CheckFileName(MakeSource("src/base/database.cc", ""), &findings);
  EXPECT_THAT(
      findings,
      ElementsAre(
          "src/base/string_utils.cc:1: 'utils' in a file name says nothing: name what is inside",
          "src/base/CamelCase.h:1: file names are snake_case"));
}

TEST(NamesRule, FindsAHeaderWithoutContractOrGuard) {
  Findings findings;
  CheckHeader(MakeSource("a.h", "// What it is.\n#pragma once\n"), &findings);
  EXPECT_THAT(findings, IsEmpty());
  CheckHeader(MakeSource("b.h", "#include <string>\n"), &findings);
  EXPECT_THAT(findings, ElementsAre("b.h:1: a header begins with a comment: its contract",
                                    "b.h:1: a header has #pragma once"));
}

TEST(NamesRule, FindsWholeWordsInCodeOnly) {
  const SourceFile file = MakeSource(
      "a.cc",
      "// sleep\nsleepy();\nusleep(1);\nf(\"sleep\");\nstd::chrono::steady_clock::now();\n");
  Findings findings;
  CheckWords(file, file.code, Clocks(), &findings);
  ASSERT_EQ(findings.size(), 2u) << Report(findings);
  EXPECT_TRUE(absl::StartsWith(findings[0], "a.cc:3: 'usleep'"));
  EXPECT_TRUE(absl::StartsWith(findings[1], "a.cc:5: 'steady_clock'"));
}

TEST(NamesRule, FindsTimeThatNobodyHandedIn) {
  const SourceFile file = MakeSource(
      "src/a.cc",
      "Clock::Real().Now();\nf(Environment::Real());\n// Clock::Real\nOf(clock).Real();\n");
  Findings findings;
  CheckWords(file, file.code, RealTime(), &findings);
  ASSERT_EQ(findings.size(), 2u) << Report(findings);
  EXPECT_TRUE(absl::StartsWith(findings[1], "src/a.cc:2: 'Environment::Real'"));
  EXPECT_FALSE(MayNameRealTime("src/engine/connector.cc"));
}

TEST(NamesRule, FindsQualifiedNamesInsideTypes) {
  const SourceFile file =
      MakeSource("a.cc", "std::optional<std::string_view> a;\nabsl::string_view b;\n");
  Findings findings;
  CheckWords(file, file.code, StandardStringView(), &findings);
  EXPECT_EQ(findings.size(), 1u) << Report(findings);
}

}  // namespace
}  // namespace walduct::tidy
