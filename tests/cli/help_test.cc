// What every command says of itself, and of what it does not understand.
#include <CLI/CLI.hpp>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/utf8.h"
#include "cli/arguments.h"
#include "cli/usage/examples.h"
#include "cli/usage/help_formatter.h"
#include "cli/usage/mistakes.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace walduct::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class HelpTest : public testing::Test {
 protected:
  HelpTest() {
    DescribeCommands(&app_, &arguments_);
    Add(app_, "");
  }

  std::string Help(const std::string& path) {
    const CLI::App* command = nullptr;
    const std::string full = CommandPath(app_, Words(path), &command);
    return command->get_formatter()->make_help(command, full, CLI::AppFormatMode::Normal);
  }
  Mistake MistakeOf(const std::string& typed) { return FindMistake(app_, Words(typed), "said"); }

  static std::vector<std::string> Words(absl::string_view text) {
    return absl::StrSplit(text, ' ', absl::SkipEmpty());
  }

  std::vector<std::string> all_;  // "", "run", "offsets import", …

 private:
  void Add(const CLI::App& command, const std::string& path) {
    all_.push_back(path);
    for (const CLI::App* next : command.get_subcommands({}))
      Add(*next, absl::StrCat(path, path.empty() ? "" : " ", next->get_name()));
  }

  Arguments arguments_;
  CLI::App app_;
};

size_t Columns(absl::string_view line) {
  size_t columns = 0;
  for (const char byte : line) columns += IsUtf8Continuation(byte) ? 0 : 1;
  return columns;
}

TEST_F(HelpTest, NoLineIsWiderThanATerminal) {
  EXPECT_GT(all_.size(), 25u);
  for (const std::string& path : all_) {
    for (const absl::string_view line : absl::StrSplit(Help(path), '\n'))
      EXPECT_LE(Columns(line), HelpFormatter::kWidth) << path << ": " << line;
  }
}

// The first line is the name that a manual page has.
TEST_F(HelpTest, BeginsWithASentence) {
  for (const std::string& path : all_) {
    const std::vector<std::string> lines = absl::StrSplit(Help(path), '\n');
    EXPECT_GT(lines.front().size(), 10u) << path;
    EXPECT_THAT(Help(path),
                HasSubstr(absl::StrCat("\nUsage: walduct", path.empty() ? "" : " ", path)));
  }
}

TEST_F(HelpTest, EachCommandHasItsExamplesAndNoOtherHas) {
  std::set<std::string> with;
  for (const Example& one : AllExamples()) {
    with.insert(std::string(one.command));
    EXPECT_THAT(Help(std::string(one.command)),
                AllOf(HasSubstr("\nExamples:\n  $ "), HasSubstr(absl::StrCat(one.line, "\n"))));
    EXPECT_THAT(one.line,
                HasSubstr(absl::StrCat("walduct", one.command.empty() ? "" : " ", one.command)));
  }
  EXPECT_EQ(with, std::set<std::string>(all_.begin(), all_.end()));
}

// The command of a line for a shell, without what is piped, redirected or quoted.
std::vector<std::string> CommandIn(absl::string_view line) {
  std::vector<std::string> words = {"walduct"};
  line.remove_prefix(line.find("walduct") + 7);
  std::string word;
  bool quoted = false;
  for (const char c : absl::StrCat(line, " ")) {
    if (c == '\'') {
      quoted = !quoted;
    } else if (!quoted && (c == '|' || c == '>' || c == ')')) {
      if (!word.empty()) words.push_back(word);
      break;
    } else if (!quoted && c == ' ') {
      if (!word.empty()) words.push_back(word);
      word.clear();
    } else {
      word += c;
    }
  }
  return words;
}

TEST(Examples, AreUnderstood) {
  for (const Example& one : AllExamples()) {
    std::vector<std::string> words = CommandIn(one.line);
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    const Arguments arguments = ParseArguments(static_cast<int>(argv.size()), argv.data());
    EXPECT_NE(arguments.command, Command::kNone) << one.line;
  }
}

TEST_F(HelpTest, CommandsComeInGroups) {
  const std::string help = Help("");
  size_t at = 0;
  for (const char* group : {"Run", "Look", "Act", "Move", "Outbox", "Develop", "Other"}) {
    const size_t next = help.find(absl::StrCat("\n", group, ":\n"), at);
    ASSERT_NE(next, std::string::npos) << group;
    at = next;
  }
  EXPECT_THAT(help, HasSubstr("\n  status      What a running process is doing\n"));
  EXPECT_THAT(help, Not(HasSubstr("Subcommands")));
  EXPECT_THAT(Help("offsets"), HasSubstr("\nCommands:\n  show        Print it"));
}

TEST_F(HelpTest, AnOptionSaysWhatGoesWithIt) {
  EXPECT_THAT(Help("outbox init"), HasSubstr("The outbox table (default: outbox)"));
  EXPECT_THAT(Help("run"),
              AllOf(HasSubstr("WALDUCT_LISTEN"), HasSubstr("--log-format {text,json}")));
  EXPECT_THAT(Help("status"), HasSubstr("(environment:"));
  EXPECT_THAT(Help("serve"), HasSubstr("as of connect-distributed (required)"));
}

TEST_F(HelpTest, TheExitCodesOfStatus) {
  EXPECT_THAT(Help("status"),
              HasSubstr("1 nobody answers; 2 what was typed is wrong; 3 no connector "
                        "has this name."));
}

TEST_F(HelpTest, AMisspeltCommand) {
  EXPECT_EQ(MistakeOf("stauts --watch").message,
            "there is no command 'walduct stauts'; did you mean status?");
  EXPECT_EQ(MistakeOf("stauts").hint, "walduct help lists the commands");
  EXPECT_EQ(MistakeOf("offsets ecport -f x").message,
            "there is no command 'walduct offsets ecport'; did you mean export?");
  EXPECT_EQ(MistakeOf("xyzzy").message, "there is no command 'walduct xyzzy'");
  EXPECT_TRUE(MistakeOf("").nothing_typed);
  EXPECT_TRUE(MistakeOf("offsets").nothing_typed);
  EXPECT_FALSE(MistakeOf("run").nothing_typed);
}

TEST_F(HelpTest, AMisspeltOption) {
  const Mistake mistake = MistakeOf("outbox init --databse x");
  EXPECT_EQ(mistake.message,
            "walduct outbox init has no option '--databse'; did you mean --database?");
  EXPECT_EQ(mistake.hint, "walduct help outbox init shows how it is used");
  EXPECT_EQ(MistakeOf("status --wach=1").message,
            "walduct status has no option '--wach'; did you mean --watch?");
  EXPECT_EQ(MistakeOf("run --listen").message, "said");
  EXPECT_EQ(MistakeOf("run -f x --zzzzzz").message, "walduct run has no option '--zzzzzz'");
}

}  // namespace
}  // namespace walduct::cli
