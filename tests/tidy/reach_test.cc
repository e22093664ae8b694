// How far a header of options reaches: a new option compiles the units that include its header, so
// a class takes the struct of its own room, and a header that only passes it on declares it.
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

constexpr size_t kMaxUnits = 25;  // of src/

// By path below src/.
Includes ParseIncludes(const std::vector<SourceFile>& files) {
  Includes includes;
  for (const SourceFile& file : files) {
    std::vector<std::string>& named = includes[std::string(absl::StripPrefix(file.path, "src/"))];
    for (absl::string_view line : Lines(file.text)) {
      if (absl::ConsumePrefix(&line, "#include \""))
        named.emplace_back(line.substr(0, line.find('"')));
    }
  }
  return includes;
}

bool IsHeaderOfOptions(absl::string_view path) {
  return absl::EndsWith(path, "/options.h") || absl::EndsWith(path, "_options.h");
}

Findings FarHeaders(const Includes& includes, size_t max_units) {
  std::map<std::string, size_t> units;
  for (const auto& [file, named] : includes) {
    if (!absl::EndsWith(file, ".cc")) continue;
    std::set<std::string> reached;
    Follow(includes, file, &reached);
    for (const std::string& header : reached) ++units[header];
  }
  Findings findings;
  for (const auto& [header, count] : units) {
    if (!IsHeaderOfOptions(header) || count <= max_units) continue;
    findings.push_back(absl::StrCat("src/", header, ": reaches ", count, " units of src/, not ",
                                    max_units, "; declare the struct where a header passes it on"));
  }
  return findings;
}

TEST(ReachTest, AHeaderOfOptionsReachesFewUnits) {
  const Findings findings = FarHeaders(ParseIncludes(ReadTree({"src"}, {".h", ".cc"})), kMaxUnits);
  EXPECT_THAT(findings, IsEmpty()) << Report(findings);
}

TEST(ReachTest, UnitsAreCountedThroughHeaders) {
  const Includes includes = ParseIncludes({
      MakeSource("src/a/options.h", "#pragma once\n"),
      MakeSource("src/a/a.h", "#include \"a/options.h\"\n#include \"a/b.h\"\n"),
      MakeSource("src/a/b.h", "#include \"a/a.h\"\n"),
      MakeSource("src/a/one.cc", "#include \"a/a.h\"\n#include \"a/options.h\"\n"),
      MakeSource("src/a/two.cc", "#include <vector>\n#include \"a/b.h\"\n"),
      MakeSource("src/a/none.cc", "#include \"a/other.h\"\n"),
  });
  EXPECT_THAT(FarHeaders(includes, 2), IsEmpty());
  EXPECT_THAT(FarHeaders(includes, 1),
              testing::ElementsAre(testing::StartsWith("src/a/options.h: reaches 2 units")));
}

}  // namespace
}  // namespace walduct::tidy
