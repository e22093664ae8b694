// The README of a room says what is there and what is not, and names nothing that is gone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/tidy/source_tree.h"

namespace walduct::tidy {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;

// What stands in backquotes and has this form, in a text.
std::set<std::string> Quoted(const std::string& text, const std::string& form) {
  const std::regex quoted("`" + form + "`");
  std::set<std::string> names;
  for (std::sregex_iterator it(text.begin(), text.end(), quoted), end; it != end; ++it)
    names.insert((*it)[1]);
  return names;
}

std::set<std::string> QuotedTypes(const std::string& text) {
  return Quoted(text, "(?:[a-z]+::)?([A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*)(?:<[A-Za-z]+>)?");
}

std::set<std::string> QuotedFolders(const std::string& text) { return Quoted(text, "([a-z_]+)/"); }

// As in `world/slots`: a folder below another, or a header in it.
std::set<std::string> QuotedPaths(const std::string& text) {
  return Quoted(text, "([a-z_]+(?:/[a-z_]+)+)");
}

bool Exists(const std::filesystem::path& path) {
  return std::filesystem::exists(path) || std::filesystem::exists(path.string() + ".h") ||
         std::filesystem::exists(path.string() + ".cc");
}

// The words of the code below src/, or below one room.
std::set<std::string> WordsOfCode(const std::string& room) {
  std::set<std::string> words;
  for (const SourceFile& file : ReadTree({"src"}, {".h", ".cc"})) {
    if (!room.empty() && RoomOf(file) != room) continue;
    static const std::regex kWord("[A-Za-z0-9_]+");
    for (std::sregex_iterator it(file.code.begin(), file.code.end(), kWord), end; it != end; ++it)
      words.insert(it->str());
  }
  return words;
}

bool SaysWhatIsElsewhere(const std::string& text) {
  static const std::regex kSays("(Does|does|What does) not|Not here");
  return std::regex_search(text, kSays);
}

std::filesystem::path Readme(const std::string& room) {
  return Root() / "src" / room / "README.md";
}

TEST(Readmes, SayWhatDoesNotBelongThere) {
  for (const std::string& room : Rooms())
    EXPECT_TRUE(SaysWhatIsElsewhere(ReadText(Readme(room)))) << Readme(room);
}

TEST(Readmes, NameAtLeastThreeOfTheirTypes) {
  for (const std::string& room : Rooms()) {
    const std::set<std::string> own = WordsOfCode(room);
    int named = 0;
    for (const std::string& type : QuotedTypes(ReadText(Readme(room))))
      named += static_cast<int>(own.count(type));
    EXPECT_GE(named, 3) << Readme(room);
  }
}

TEST(Readmes, NameOnlyTypesThatExist) {
  const std::set<std::string> words = WordsOfCode("");
  for (const std::string& room : Rooms()) {
    std::vector<std::string> gone;
    for (const std::string& type : QuotedTypes(ReadText(Readme(room))))
      if (words.count(type) == 0) gone.push_back(type);
    EXPECT_THAT(gone, IsEmpty()) << Readme(room);
  }
}

TEST(Readmes, NameOnlyFoldersThatExist) {
  for (const std::string& room : Rooms()) {
    std::vector<std::string> gone;
    for (const std::string& folder : QuotedFolders(ReadText(Readme(room))))
      if (!std::filesystem::exists(Readme(room).parent_path() / folder)) gone.push_back(folder);
    EXPECT_THAT(gone, IsEmpty()) << Readme(room);
  }
}

TEST(Readmes, NameOnlyPathsThatExist) {
  for (const std::string& room : Rooms()) {
    const std::filesystem::path own = Readme(room).parent_path();
    std::vector<std::string> gone;
    for (const std::string& path : QuotedPaths(ReadText(Readme(room))))
      if (!Exists(own / path) && !Exists(Root() / "src" / path) && !Exists(Root() / path))
        gone.push_back(path);
    EXPECT_THAT(gone, IsEmpty()) << Readme(room);
  }
}

// Folders below a room by path, with how many units (a header, a source, or both) are in each.
std::map<std::string, size_t> UnitsByFolder(const std::vector<std::string>& paths) {
  std::map<std::string, std::set<std::string>> units;
  for (const std::string& path : paths) {
    const std::filesystem::path file(path);
    const std::string folder = file.parent_path().string();
    if (std::count(folder.begin(), folder.end(), '/') >= 2) units[folder].insert(file.stem());
  }
  std::map<std::string, size_t> counts;
  for (const auto& [folder, names] : units) counts[folder] = names.size();
  return counts;
}

// By its path in the room: itself, or one of its files.
bool NamesFolder(const std::string& readme, const std::string& folder) {
  return readme.find("`" + folder + "`") != std::string::npos ||
         readme.find("`" + folder + "/") != std::string::npos;
}

TEST(Readmes, NameFoldersOfOneOrTwoUnits) {
  std::vector<std::string> paths;
  for (const SourceFile& file : ReadTree({"src"}, {".h", ".cc"})) paths.push_back(file.path);
  for (const auto& [folder, units] : UnitsByFolder(paths)) {
    if (units >= 3) continue;
    const size_t end = folder.find('/', 4);
    const std::string room = folder.substr(4, end - 4);
    EXPECT_TRUE(NamesFolder(ReadText(Readme(room)), folder.substr(end + 1)))
        << folder << " has fewer than three units: " << Readme(room) << " says why";
  }
}

TEST(ReadmesRule, CountsUnitsOfFoldersBelowRooms) {
  EXPECT_THAT(UnitsByFolder({"src/a/x.cc", "src/a/b/y.cc", "src/a/b/y.h", "src/a/b/z.h"}),
              UnorderedElementsAre(std::pair<const std::string, size_t>("src/a/b", 2)));
  EXPECT_TRUE(NamesFolder("| `world/known/` | why |", "world/known"));
  EXPECT_TRUE(NamesFolder("| `world/known/slots` | why |", "world/known"));
  EXPECT_FALSE(NamesFolder("| `world/knowns` | why |", "world/known"));
}

TEST(ReadmesRule, FindsQuotedNames) {
  const std::string text = "`Lsn` in `files/`, `event::Value`, `ReadTable<Writer>`, `SQL`, File";
  EXPECT_THAT(QuotedTypes(text), UnorderedElementsAre("Lsn", "Value", "ReadTable"));
  EXPECT_THAT(QuotedFolders(text), UnorderedElementsAre("files"));
  EXPECT_THAT(QuotedPaths("`world/slots`, `files/`, `walduct/x y`"),
              UnorderedElementsAre("world/slots"));
}

TEST(ReadmesRule, FindsWhatIsElsewhere) {
  EXPECT_TRUE(SaysWhatIsElsewhere("**Does not:** SQL"));
  EXPECT_FALSE(SaysWhatIsElsewhere("What goes here: SQL"));
}

}  // namespace
}  // namespace walduct::tidy
