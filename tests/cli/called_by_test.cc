#include "cli/process/called_by.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "serve/load_worker.h"
#include "serve/topics/worker_options.h"

namespace walduct::cli {
namespace {

TypedFiles Typed(const std::string& connector) {
  return {.connector = connector,
          .worker = "my worker.properties",
          .overrides = {"slot.name=other", "database.password=secret", "snapshot.mode=always"}};
}

config::LoadReport Report() {
  config::LoadReport report;
  report.properties.push_back({.name = "slot.name", .value = "other", .status = {}, .note = {}});
  report.properties.push_back(
      {.name = "database.password", .value = "******", .status = {}, .note = {}});
  return report;
}

TEST(CalledBy, FilesAsTheyWereTyped) {
  const names::Called called = CalledByFiles(Typed("shop.json"), Report());
  EXPECT_EQ(called.who, "-f shop.json -w 'my worker.properties' -o slot.name=other");
  EXPECT_EQ(called.unit, "");
  for (const char* const pipe : {"-", "/dev/stdin", "/dev/fd/63", "/proc/self/fd/0"})
    EXPECT_EQ(CalledByFiles(Typed(pipe), Report()).who, "") << pipe;
}

// What it was is gone with the process that has read it.
TEST(CalledBy, AWorkersFileFromAPipeHasAnotherName) {
  for (const char* const pipe : {"/dev/stdin", "/dev/fd/63", "/proc/self/fd/0"}) {
    const TypedFiles typed{.connector = "/a.json", .worker = pipe, .overrides = {}};
    EXPECT_EQ(CalledByFiles(typed, Report()).who, "-f /a.json -w WORKER.PROPERTIES") << pipe;
    EXPECT_EQ(DoctorByFiles(typed, Report()), "walduct doctor -f /a.json -w WORKER.PROPERTIES");
    EXPECT_EQ(KeptWorkerFile(pipe), "");
  }
}

// Several looks at the files of one process find them.
TEST(CalledBy, WhatAPipeGaveIsKept) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  ASSERT_EQ(write(ends[1], "group.id=g", 10), 10);
  close(ends[1]);
  const std::string file = "/proc/self/fd/" + std::to_string(ends[0]);
  for (int look = 0; look < 2; ++look) {
    const auto texts = TextsReadOnce(file, {"shop.json"});
    ASSERT_TRUE(texts.contains(file));
    EXPECT_EQ(texts.at(file), "group.id=g");
    EXPECT_FALSE(texts.contains("shop.json"));
  }
  close(ends[0]);
}

TEST(CalledBy, OverridesAreTypedAgainAsTheyWere) {
  const TypedOverrides again =
      OverridesAgain({"slot.name=first", "database.password=secret", "slot.name=other"}, Report());
  EXPECT_EQ(again.text, " -o 'database.password=<VALUE>' -o slot.name=other");
  EXPECT_EQ(again.hidden, std::vector<std::string>{"database.password"});
  config::LoadReport report;
  report.properties.push_back(
      {.name = "snapshot.mode", .value = "no data", .status = {}, .note = {}});
  EXPECT_EQ(OverridesAgain({"snapshot.mode=no data"}, report).text, " -o 'snapshot.mode=no data'");
}

TEST(CalledBy, WhatIsTypedInAnyFolder) {
  const std::string here = std::filesystem::current_path().string();
  EXPECT_EQ(DoctorByFiles({.connector = "a.json", .worker = "/w", .overrides = {"slot.name=other"}},
                          Report()),
            "walduct doctor -f " + here + "/a.json -w /w -o slot.name=other");
  EXPECT_EQ(DoctorByFiles(Typed("/dev/stdin"), Report()), "") << "nobody can read it again";
}

TEST(CalledBy, AUnitsFilesAreThoseItCopies) {
  setenv("CREDENTIALS_DIRECTORY", "/run/credentials/walduct@shop.service", 1);
  setenv("WALDUCT_UNIT", "shop", 1);
  const std::string folder = "/run/credentials/walduct@shop.service/";
  const names::Called called = CalledByFiles({.connector = folder + "connector.json",
                                              .worker = folder + "worker.properties",
                                              .overrides = {}},
                                             Report());
  const names::Called other = CalledByFiles(Typed("shop.json"), Report());
  const std::string worker = KeptWorkerFile(folder + "worker.properties");
  unsetenv("CREDENTIALS_DIRECTORY");
  unsetenv("WALDUCT_UNIT");
  EXPECT_EQ(called.who, "-f /etc/walduct/shop.json -w /etc/walduct/worker.properties");
  EXPECT_EQ(called.unit, "shop");
  EXPECT_EQ(other.unit, "") << "it is no file of the unit's";
  EXPECT_EQ(worker, "/etc/walduct/worker.properties");
  EXPECT_EQ(KeptWorkerFile(folder + "worker.properties"), folder + "worker.properties");
  EXPECT_EQ(KeptWorkerFile("w.properties"),
            (std::filesystem::current_path() / "w.properties").string());
}

TEST(CalledBy, AWorkerByWhereItIsReached) {
  serve::WorkerOptions options;
  options.listeners.push_back({.address = {.host = "0.0.0.0", .port = 8083}});
  options.worker_id = "here:8083";
  EXPECT_EQ(serve::WorkerUrl(options), "http://here:8083");
  options.listeners.front().address.port = 0;
  EXPECT_EQ(serve::WorkerUrl(options), "");
}

}  // namespace
}  // namespace walduct::cli
