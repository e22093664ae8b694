#include "cli/offsets/plan_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace walduct::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(PlanFiles, AreThoseThatWereTyped) {
  const PlanFiles files = FilesOfPlan(
      {.name = "shop", .connector_file = "my shop.json", .worker_file = "w.properties", .url = ""},
      {});
  EXPECT_EQ(files.who, "-f 'my shop.json' -w w.properties");
  EXPECT_EQ(files.note, "");
}

// A command that reads standard input would wait for the terminal.
TEST(PlanFiles, WhatCameFromStandardInputIsWrittenFirst) {
  const PlanFiles files = FilesOfPlan(
      {.name = "shop", .connector_file = "/dev/stdin", .worker_file = "w.properties", .url = ""},
      {});
  EXPECT_EQ(files.who, "-f shop.from-input.json -w w.properties");
  EXPECT_THAT(files.note, AllOf(HasSubstr("write it to shop.from-input.json"), HasSubstr("umask"),
                                HasSubstr("stop the process")));
  TypedPlan asked;
  asked.name = "shop";
  recover::PlanFacts facts;
  facts.from_input = true;
  const PlanFiles of_process = FilesOfPlan(asked, facts);
  EXPECT_EQ(of_process.who, "-f shop.from-input.json");
  EXPECT_THAT(of_process.note, AllOf(HasSubstr("the -w and -o of the process"),
                                     Not(HasSubstr("a worker")), Not(HasSubstr("walduct stop"))));
}

TEST(PlanFiles, AWorkersFileFromAPipeIsToBeAFile) {
  const PlanFiles files = FilesOfPlan(
      {.name = "shop", .connector_file = "shop.json", .worker_file = "/dev/fd/63", .url = ""}, {});
  EXPECT_EQ(files.who, "-f shop.json -w WORKER.PROPERTIES");
  EXPECT_THAT(files.note,
              AllOf(HasSubstr("WORKER.PROPERTIES in the commands"), HasSubstr("umask")));
  const PlanFiles both = FilesOfPlan(
      {.name = "shop", .connector_file = "/dev/fd/62", .worker_file = "/dev/fd/63", .url = ""}, {});
  EXPECT_EQ(both.who, "-f shop.from-input.json -w WORKER.PROPERTIES");
  EXPECT_THAT(both.note, AllOf(HasSubstr("write it to shop.from-input.json"),
                               HasSubstr("WORKER.PROPERTIES in the commands")));
}

TEST(PlanFiles, WhatWasTypedBesideTheFilesIsTypedAgain) {
  TypedPlan typed{.name = "shop", .connector_file = "a.json", .worker_file = "w", .url = ""};
  typed.overrides = {.text = " -o 'slot.name=my slot' -o 'database.password=<VALUE>'",
                     .hidden = {"database.password"}};
  const PlanFiles files = FilesOfPlan(typed, {});
  EXPECT_EQ(files.who, "-f a.json -w w -o 'slot.name=my slot' -o 'database.password=<VALUE>'");
  EXPECT_THAT(files.note, HasSubstr("is not shown, of database.password."));
  typed.connector_file = "/dev/stdin";
  EXPECT_EQ(FilesOfPlan(typed, {}).who, "-f shop.from-input.json -w w" + typed.overrides.text);
}

TEST(PlanFiles, OfAProcessAreItsOwnOrMadeOfAWorkers) {
  TypedPlan asked;
  asked.name = "shop";
  asked.url = "http://h:8083";
  recover::PlanFacts facts;
  facts.files = "-f a.json";
  EXPECT_EQ(FilesOfPlan(asked, facts).who, "-f a.json");
  EXPECT_THAT(FilesOfPlan(asked, facts).note, HasSubstr("was started with"));
  facts.files.clear();
  facts.worker_file = "/etc/w";
  const PlanFiles served = FilesOfPlan(asked, facts);
  EXPECT_EQ(served.who, "-f shop.of-worker.json -w /etc/w");
  EXPECT_THAT(served.note, HasSubstr("walduct stop shop --url http://h:8083"));
}

}  // namespace
}  // namespace walduct::cli
