// Configurations as strangers publish them, with the verdict of Debezium 3.6.1 and ours:
// published/verdicts.tsv.
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "loader/load_connector.h"
#include "tests/loader/load_fixture.h"

namespace walduct::loader {
namespace {

struct Published {
  std::string file, debezium, walduct, about;
};

std::string PathOf(const std::string& name) {
  return absl::StrCat(WALDUCT_SOURCE_DIR, "/tests/loader/published/", name);
}

std::vector<Published> ReadVerdicts() {
  std::vector<Published> all;
  std::ifstream file(PathOf("verdicts.tsv"));
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::vector<std::string> cells = absl::StrSplit(line, '\t');
    cells.resize(4);
    all.push_back({cells[0], cells[1], cells[2], cells[3]});
  }
  return all;
}

LoadResult LoadPublished(const Published& one) {
  config::LoadRequest request;
  request.connector_path = PathOf(one.file);
  return LoadConnector(request);
}

TEST(Published, EachHasItsVerdict) {
  const std::vector<Published> all = ReadVerdicts();
  EXPECT_GE(all.size(), 60u);
  for (const Published& one : all) {
    const LoadResult result = LoadPublished(one);
    EXPECT_EQ(result.errors.empty() ? "accepted" : "refused", one.walduct)
        << one.file << ": " << absl::StrJoin(result.errors, "\n");
    const std::set<std::string> warnings(result.warnings.begin(), result.warnings.end());
    EXPECT_EQ(warnings.size(), result.warnings.size()) << one.file << ": told twice";
  }
}

// converter: until walduct has it. sink: Debezium Server's. java: a class that is not of Kafka
// Connect or Debezium.
TEST(Published, WhatDebeziumAcceptsIsRefusedForAKnownReasonOnly) {
  const std::set<std::string> known = {"converter", "sink", "java"};
  for (const Published& one : ReadVerdicts()) {
    if (one.debezium != "accepted" || one.walduct == "accepted") continue;
    EXPECT_EQ(known.count(one.about), 1u) << one.file;
  }
}

TEST(Published, ARefusalSaysWhy) {
  for (const Published& one : ReadVerdicts()) {
    if (one.walduct != "refused") continue;
    const std::string errors = absl::StrJoin(LoadPublished(one).errors, "\n");
    const std::string about = one.about == "java" ? "transforms." : one.about;
    EXPECT_THAT(errors, testing::HasSubstr(about)) << one.file;
  }
}

}  // namespace
}  // namespace walduct::loader
