// What other programs wrote is marked in .gitattributes: it is left out of diffs and of counts of
// lines.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/tidy/source_tree.h"

namespace walduct::tidy {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

// tests/<room>/corpus and the like.
std::vector<std::string> RecordedFolders() {
  std::vector<std::string> folders;
  for (const auto& room : std::filesystem::directory_iterator(Root() / "tests")) {
    if (!room.is_directory()) continue;
    for (const auto& entry : std::filesystem::directory_iterator(room.path())) {
      if (entry.is_directory() && absl::StartsWith(entry.path().filename().string(), "corpus"))
        folders.push_back(std::filesystem::relative(entry.path(), Root()).string());
    }
  }
  return folders;
}

std::vector<std::string> Unmarked(const std::vector<std::string>& folders,
                                  const std::string& attributes) {
  std::vector<std::string> unmarked;
  for (const std::string& folder : folders) {
    bool marked = false;
    for (const absl::string_view line : Lines(attributes))
      marked |= absl::StartsWith(line, folder + "/") && absl::StrContains(line, " linguist-");
    if (!marked) unmarked.push_back(folder);
  }
  return unmarked;
}

TEST(Recordings, AreMarkedAsGenerated) {
  EXPECT_THAT(RecordedFolders(), SizeIs(testing::Gt(4)));
  EXPECT_THAT(Unmarked(RecordedFolders(), ReadText(Root() / ".gitattributes")), IsEmpty());
}

TEST(Recordings, DocumentsThatTheProgramWritesAreMarked) {
  const std::string attributes = ReadText(Root() / ".gitattributes");
  for (const char* name : {"configuration", "transforms", "types", "reasons"})
    EXPECT_THAT(attributes, testing::HasSubstr(absl::StrCat("docs/", name, ".md linguist-")));
}

TEST(RecordingsRule, FindsAnUnmarkedFolder) {
  const std::string attributes = "tests/a/corpus/** linguist-generated -diff\n";
  EXPECT_THAT(Unmarked({"tests/a/corpus", "tests/a/corpus_topics", "tests/b/corpus"}, attributes),
              ElementsAre("tests/a/corpus_topics", "tests/b/corpus"));
}

}  // namespace
}  // namespace walduct::tidy
