#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "cli/arguments.h"
#include "cli/configuration.h"

namespace walduct::cli {
namespace {

Arguments ParsedOf(const std::string& line) {
  std::vector<std::string> words = absl::StrSplit(absl::StrCat("walduct ", line), ' ');
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  return ParseArguments(static_cast<int>(argv.size()), argv.data());
}

// All commands that are asked where to listen, or whom to ask.
class ListenArgumentsTest : public testing::TestWithParam<const char*> {
 protected:
  ListenArgumentsTest() { setenv("WALDUCT_LISTEN", "127.0.0.1:2", 1); }
  ~ListenArgumentsTest() override { unsetenv("WALDUCT_LISTEN"); }
};

TEST_P(ListenArgumentsTest, WhatIsTypedWinsOverTheEnvironment) {
  const Arguments typed = ParsedOf(absl::StrCat(GetParam(), " --listen 127.0.0.1:1"));
  EXPECT_NE(typed.command, Command::kNone);
  EXPECT_EQ(typed.listen, "127.0.0.1:1");
  EXPECT_TRUE(typed.listen_typed);
  const Arguments overridden = ParsedOf(absl::StrCat(GetParam(), " -o walduct.listen=127.0.0.1:1"));
  EXPECT_NE(overridden.command, Command::kNone);
  EXPECT_EQ(overridden.listen, "");
}

TEST_P(ListenArgumentsTest, TheEnvironmentCountsWhereNothingIsTyped) {
  const Arguments parsed = ParsedOf(GetParam());
  EXPECT_NE(parsed.command, Command::kNone);
  EXPECT_EQ(parsed.listen, "127.0.0.1:2");
  EXPECT_FALSE(parsed.listen_typed);
  setenv("WALDUCT_LISTEN", "", 1);
  EXPECT_EQ(ParsedOf(GetParam()).listen, "");
}

INSTANTIATE_TEST_SUITE_P(Commands, ListenArgumentsTest,
                         testing::Values("run -f a.json", "recover read -f a.json",
                                         "recover run -f a.json --from h:1 --state /s",
                                         "replay -f a.json --from h:1 --state /s --since 0/1 "
                                         "--until 0/2 --to past.",
                                         "status -f a.json", "doctor -f a.json"));

// Of commands beside the process, which have no --listen themselves.
TEST(ListenArguments, TheProcessIsWhereTheEnvironmentSaysNotItsFiles) {
  const std::string files = "127.0.0.1:3";
  setenv("WALDUCT_LISTEN", "127.0.0.1:2", 1);
  const Arguments tail = ParsedOf("tail -f a.json");
  EXPECT_EQ(ListenOfProcess(tail, files), "127.0.0.1:2");
  EXPECT_EQ(ListenOfProcess(tail, ""), "127.0.0.1:2");
  const std::string typed = "tail -f a.json -o walduct.listen=127.0.0.1:3";
  EXPECT_EQ(ListenOfProcess(ParsedOf(typed), files), files) << "as run has it";
  EXPECT_EQ(ListenOfProcess(ParsedOf("status -f a.json --listen 127.0.0.1:1"), files),
            "127.0.0.1:1");
  setenv("WALDUCT_LISTEN", "", 1);
  EXPECT_EQ(ListenOfProcess(tail, files), files);
  unsetenv("WALDUCT_LISTEN");
  EXPECT_EQ(ListenOfProcess(tail, files), files);
}

TEST(ListenArguments, WhatDoesNotListenTakesNone) {
  setenv("WALDUCT_LISTEN", "127.0.0.1:2", 1);
  EXPECT_EQ(ParsedOf("tail -f a.json").listen, "");
  EXPECT_EQ(ParsedOf("shadow -f a.json --directory d").listen, "");
  unsetenv("WALDUCT_LISTEN");
}

}  // namespace
}  // namespace walduct::cli
