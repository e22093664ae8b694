#include "cli/completion.h"

#include <CLI/CLI.hpp>

#include "cli/arguments.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace walduct::cli {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Not;

class CompletionTest : public testing::Test {
 protected:
  CompletionTest() { DescribeCommands(&app_, &arguments_); }

  std::vector<std::string> Words(const std::vector<std::string>& typed) {
    last_ = Complete(app_, typed);
    std::vector<std::string> words;
    for (const Completion::Candidate& candidate : last_.candidates) words.push_back(candidate.word);
    return words;
  }

  Arguments arguments_;
  CLI::App app_;
  Completion last_;
};

TEST_F(CompletionTest, OffersCommands) {
  EXPECT_THAT(Words({"va"}), ElementsAre("validate"));
  EXPECT_EQ(last_.candidates[0].description, "Check a configuration without touching any server");
  EXPECT_THAT(Words({""}), Contains("run"));
  EXPECT_THAT(Words({"offsets", ""}), ElementsAre("show", "export", "import", "set", "reset"));
  EXPECT_THAT(Words({"offsets", "x"}), IsEmpty());
  Words({""});
  for (const Completion::Candidate& candidate : last_.candidates)
    EXPECT_THAT(candidate.description, Not(testing::HasSubstr("\n"))) << candidate.word;
}

TEST_F(CompletionTest, OffersOptionsOfTheCommand) {
  EXPECT_THAT(Words({"run", "--unt"}), ElementsAre("--until-lsn", "--until-caught-up"));
  EXPECT_THAT(Words({"offsets", "import", "--w"}), ElementsAre("--worker"));
  EXPECT_THAT(Words({"tail", "--u"}), IsEmpty());
  EXPECT_THAT(Words({"record", "--"}), Contains("--changes"));
}

TEST_F(CompletionTest, OffersValues) {
  EXPECT_THAT(Words({"run", "--log-level", ""}), ElementsAre("debug", "info", "warn", "error"));
  EXPECT_THAT(Words({"run", "--log-format", "=", "j"}), ElementsAre("json"));
  EXPECT_THAT(Words({"outbox", "init", "--flavour", "pa"}), ElementsAre("partitioned"));
  EXPECT_THAT(Words({"run", "--until-lsn", ""}), IsEmpty());
  EXPECT_FALSE(last_.files);
}

TEST_F(CompletionTest, OffersShells) {
  EXPECT_THAT(Words({"completion", ""}), ElementsAre("bash", "zsh", "fish"));
  EXPECT_THAT(Words({"com"}), ElementsAre("completion"));
}

TEST_F(CompletionTest, AsksForFiles) {
  EXPECT_THAT(Words({"run", "-f", ""}), IsEmpty());
  EXPECT_TRUE(last_.files);
  EXPECT_EQ(CompletionText(last_), ":files\n");
  Words({"offsets", "export", "-f", "one.json", ""});
  EXPECT_TRUE(last_.files);
  Words({"record", "-f", "one.json", ""});
  EXPECT_TRUE(last_.files);
  Words({"run", "--worker", "one.properties", ""});
  EXPECT_FALSE(last_.files);
}

TEST_F(CompletionTest, OffersReasons) {
  EXPECT_THAT(Words({"explain", "slot_"}), Contains("slot_in_use"));
  EXPECT_THAT(Words({"explain", "slot_"}), Not(Contains("system_mismatch")));
}

TEST_F(CompletionTest, ALineForEach) {
  Words({"exp"});
  EXPECT_EQ(CompletionText(last_),
            "explain\tWhat the reason of an error means, and what to do; or where an LSN lies\n");
}

}  // namespace
}  // namespace walduct::cli
