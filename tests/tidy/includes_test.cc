// What a precompiled header brings (cmake/precompiled.h), a source reaches by its own includes:
// a build without it, or of one file alone, compiles.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "tests/tidy/source_tree.h"

namespace walduct::tidy {
namespace {

using testing::IsEmpty;

struct Use {
  absl::string_view word, header;
};
constexpr Use kUses[] = {
    {"absl::StrCat(", "absl/strings/str_cat.h"},
    {"absl::StrAppend(", "absl/strings/str_cat.h"},
    {"absl::StrFormat(", "absl/strings/str_format.h"},
    {"absl::StrJoin(", "absl/strings/str_join.h"},
    {"absl::StrSplit(", "absl/strings/str_split.h"},
    {"absl::string_view", "absl/strings/string_view.h"},
    {"absl::SimpleAtoi(", "absl/strings/numbers.h"},
    {"absl::StartsWith(", "absl/strings/match.h"},
    {"absl::StrContains(", "absl/strings/match.h"},
    {"absl::Status ", "absl/status/status.h"},
    {"absl::StatusOr<", "absl/status/statusor.h"},
    {"absl::flat_hash_map<", "absl/container/flat_hash_map.h"},
    {"absl::flat_hash_set<", "absl/container/flat_hash_set.h"},
    {"absl::Span<", "absl/types/span.h"},
    {"absl::Duration ", "absl/time/time.h"},
    {"std::vector<", "vector"},
    {"std::optional<", "optional"},
    {"std::map<", "map"},
    {"std::function<", "functional"},
    {"std::unique_ptr<", "memory"},
    {"std::shared_ptr<", "memory"},
    {"std::string ", "string"},
    {"std::move(", "utility"},
    {"std::sort(", "algorithm"},
    {"std::find_if(", "algorithm"},
    {"std::any_of(", "algorithm"},
};

// By path: "src/…" of ours, others as they are.
Includes ParseIncludes(const std::vector<SourceFile>& files) {
  Includes includes;
  for (const SourceFile& file : files) {
    std::vector<std::string>& named = includes[file.path];
    for (absl::string_view line : Lines(file.text)) {
      if (!absl::ConsumePrefix(&line, "#include ") || line.size() < 3) continue;
      const std::string header(line.substr(1, line.find_first_of(">\"", 1) - 1));
      named.push_back(header);
      named.push_back("src/" + header);
    }
  }
  return includes;
}

Findings MissingHeaders(const std::vector<SourceFile>& files) {
  const Includes includes = ParseIncludes(files);
  Findings findings;
  for (const SourceFile& file : files) {
    std::set<std::string> reached;
    Follow(includes, file.path, &reached);
    for (const Use& use : kUses) {
      if (!absl::StrContains(file.code, use.word) || reached.contains(std::string(use.header)))
        continue;
      findings.push_back(absl::StrCat(file.path, ": uses ", use.word, " and includes no ",
                                      use.header, ", nor does what it includes"));
    }
  }
  return findings;
}

TEST(IncludesTest, WhatIsUsedIsIncluded) {
  const Findings findings = MissingHeaders(ReadTree({"src"}, {".h", ".cc"}));
  EXPECT_THAT(findings, IsEmpty()) << Report(findings);
}

// A header of ours brings it, a word in a comment is no use.
TEST(IncludesTest, TheRuleFindsWhatIsMissing) {
  const std::vector<SourceFile> files = {
      MakeSource("src/a.h", "#include <vector>\n"),
      MakeSource("src/a.cc", "#include \"a.h\"\nstd::vector<int> v;\n"),
      MakeSource("src/b.cc", "// std::vector<int>\nstd::optional<int> o;\n"),
  };
  const Findings findings = MissingHeaders(files);
  EXPECT_THAT(findings, testing::ElementsAre(testing::HasSubstr("src/b.cc: uses std::optional<")))
      << Report(findings);
}

}  // namespace
}  // namespace walduct::tidy
