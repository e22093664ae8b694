// Relative links of the documentation lead somewhere.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "tests/tidy/source_tree.h"

namespace walduct::tidy {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Link {
  size_t line;
  std::string target;  // without the part after '#'
};

// [text](target) and [text](target#part), outside of code blocks and of `code`; relative ones only.
std::vector<Link> RelativeLinks(const std::string& markdown) {
  std::vector<Link> links;
  size_t number = 0;
  bool in_code_block = false;
  for (const absl::string_view line : Lines(markdown)) {
    ++number;
    if (absl::StartsWith(line, "```")) in_code_block = !in_code_block;
    if (in_code_block) continue;
    bool in_code = false;
    for (size_t i = 0; i + 1 < line.size(); ++i) {
      if (line[i] == '`') in_code = !in_code;
      if (in_code || line[i] != ']' || line[i + 1] != '(') continue;
      const absl::string_view rest = line.substr(i + 2);
      const std::string target(rest.substr(0, rest.find_first_of("#) ")));
      if (!target.empty() && !absl::StrContains(target, ":")) links.push_back({number, target});
    }
  }
  return links;
}

TEST(Links, OfTheDocumentationLeadSomewhere) {
  std::vector<SourceFile> files =
      ReadTree({"src", "tests", "bench", "docs", "docker", "scripts", "examples"}, {".md"});
  for (const char* name : {"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md"}) {
    files.push_back(MakeSource(name, ReadText(Root() / name)));
  }
  Findings findings;
  for (const SourceFile& file : files) {
    const std::filesystem::path folder = (Root() / file.path).parent_path();
    for (const Link& link : RelativeLinks(file.text)) {
      if (std::filesystem::exists(folder / link.target)) continue;
      AddFinding(file, link.line, absl::StrCat("link to '", link.target, "', which does not exist"),
                 &findings);
    }
  }
  EXPECT_THAT(findings, IsEmpty()) << Report(findings);
}

TEST(Links, TheFrontPagesExist) {
  for (const char* name :
       {"README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE"}) {
    EXPECT_TRUE(std::filesystem::exists(Root() / name)) << name;
  }
}

TEST(LinksRule, ReadsRelativeLinksOutsideOfCode) {
  std::vector<std::string> targets;
  for (const Link& link :
       RelativeLinks("see [a](docs/a.md#part), [b](https://example.org), [c](#here)\n"
                     "`[d](d.md)`\n```\n[e](e.md)\n```\n[f](f.md)\n")) {
    targets.push_back(absl::StrCat(link.line, ":", link.target));
  }
  EXPECT_THAT(targets, ElementsAre("1:docs/a.md", "6:f.md"));
}

}  // namespace
}  // namespace walduct::tidy
