// The edges between the rooms of src/: layers.txt says which are allowed, #include lines and
// CMake's link edges must agree.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/strip.h"
#include "tests/tidy/source_tree.h"

namespace walduct::tidy {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

using Edges = std::map<std::string, std::set<std::string>>;

// layers.txt and the library lines of CMake both come down to "room: rooms".
struct Layers {
  Edges allowed;
  Findings findings;
};

Layers ParseLayers(const std::string& text) {
  Layers layers;
  size_t number = 0;
  for (absl::string_view line : Lines(text)) {
    ++number;
    line = absl::StripAsciiWhitespace(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    const std::pair<std::string, std::string> parts = absl::StrSplit(line, absl::MaxSplits(':', 1));
    std::set<std::string>& allowed = layers.allowed[parts.first];
    for (absl::string_view room : absl::StrSplit(parts.second, ' ', absl::SkipEmpty())) {
      const std::string name(room);
      // One header of a room, which need not be above.
      if (absl::StrContains(name, '/')) {
        allowed.insert(name);
        continue;
      }
      if (name == parts.first || layers.allowed.count(name) == 0) {
        layers.findings.push_back(
            absl::StrCat("tests/tidy/layers.txt:", number, ": '", name, "' is not a room above"));
      }
      allowed.insert(name);
    }
  }
  return layers;
}

Findings CheckIncludes(const SourceFile& file, const Edges& allowed,
                       const std::set<std::string>& rooms) {
  Findings findings;
  const std::string room = RoomOf(file);
  size_t number = 0;
  for (absl::string_view line : Lines(file.text)) {
    ++number;
    if (!absl::ConsumePrefix(&line, "#include \"")) continue;
    const std::string included(line.substr(0, line.find('/')));
    const std::string header(line.substr(0, line.find('"')));
    const auto edges = allowed.find(room);
    const bool fine =
        included == room || room.empty() ||
        (edges != allowed.end() && edges->second.count(included) + edges->second.count(header) > 0);
    if (rooms.count(included) > 0 && !fine) {
      AddFinding(file, number,
                 absl::StrCat("room '", room, "' may not include room '", included, "'"),
                 &findings);
    }
  }
  return findings;
}

// walduct_library(<room> DEPS walduct_<room>… <library>…), on one line each.
Edges ParseLinkEdges(const std::string& cmake) {
  Edges edges;
  for (absl::string_view line : Lines(cmake)) {
    if (!absl::ConsumePrefix(&line, "walduct_library(")) continue;
    std::set<std::string>* linked = nullptr;
    for (absl::string_view word : absl::StrSplit(line, absl::ByAnyChar(" )"), absl::SkipEmpty())) {
      if (linked == nullptr) {
        linked = &edges[std::string(word)];
      } else if (absl::ConsumePrefix(&word, "walduct_")) {
        linked->insert(std::string(word));
      }
    }
  }
  return edges;
}

// All rooms that linking `room` brings along.
std::set<std::string> Closure(const Edges& edges, const std::string& room) {
  std::set<std::string> closure;
  std::vector<std::string> pending = {room};
  while (!pending.empty()) {
    const auto found = edges.find(pending.back());
    pending.pop_back();
    if (found == edges.end()) continue;
    for (const std::string& next : found->second) {
      if (closure.insert(next).second) pending.push_back(next);
    }
  }
  return closure;
}

// Which folder's files include files of which other folder.
Edges FolderEdges(const std::vector<SourceFile>& files) {
  const auto folder_of = [](absl::string_view path) {
    return std::string(path.substr(0, path.rfind('/')));
  };
  Edges edges;
  for (const SourceFile& file : files) {
    for (absl::string_view line : Lines(file.text)) {
      if (!absl::ConsumePrefix(&line, "#include \"")) continue;
      const std::string included = folder_of(absl::StrCat("src/", line));
      if (included != folder_of(file.path)) edges[folder_of(file.path)].insert(included);
    }
  }
  return edges;
}

Findings CheckFolders(const std::vector<SourceFile>& files) {
  const Edges edges = FolderEdges(files);
  Findings findings;
  for (const auto& entry : edges) {
    if (Closure(edges, entry.first).count(entry.first) > 0) {
      findings.push_back(
          absl::StrCat(entry.first, ": its files form a circle with those of other folders"));
    }
  }
  return findings;
}

Findings CheckLinkEdges(const Edges& linked, const Edges& allowed) {
  Findings findings;
  for (const auto& [room, rooms] : allowed) {
    if (linked.count(room) == 0) {
      findings.push_back(
          absl::StrCat("src/CMakeLists.txt:1: room '", room, "' of layers.txt has no library"));
      continue;
    }
    for (const std::string& other : linked.at(room)) {
      // An imported target of ours that is no room, such as walduct_rdkafka.
      if (allowed.count(other) == 0 || rooms.count(other) > 0) continue;
      const auto header = rooms.lower_bound(other + "/");
      if (header != rooms.end() && absl::StartsWith(*header, other + "/")) continue;
      findings.push_back(
          absl::StrCat("src/CMakeLists.txt:1: room '", room, "' may not link room '", other, "'"));
    }
    const std::set<std::string> brought = Closure(linked, room);
    for (const std::string& other : rooms) {
      if (brought.count(other) > 0 || absl::StrContains(other, '/')) continue;
      findings.push_back(absl::StrCat("src/CMakeLists.txt:1: room '", room, "' may include '",
                                      other, "' but does not link it"));
    }
  }
  return findings;
}

// A sink is a row (src/sink/sink_type.h): other rooms know what a sink is, not which one they have.
Findings CheckSinkIsNotAsked(const SourceFile& file) {
  static const std::set<std::string> seam = {"sink.h",      "transactions.h",    "options.h",
                                             "sink_type.h", "list/sink_types.h", "refusals.h"};
  Findings findings;
  // `walduct tail` prints, whichever sink the connector has.
  if (RoomOf(file) == "sink" || file.path == "src/slot/world/tail.cc") return findings;
  size_t number = 0;
  for (absl::string_view line : Lines(file.text)) {
    ++number;
    if (absl::StrContains(line, "Text(\"sink\")"))
      AddFinding(file, number, "asks which sink it is: ask a trait of its SinkType", &findings);
    if (!absl::ConsumePrefix(&line, "#include \"sink/")) continue;
    // Records for eyes are nobody's sink.
    if (absl::StartsWith(line, "eyes/")) continue;
    if (seam.count(std::string(line.substr(0, line.find('"')))) == 0)
      AddFinding(file, number, "includes what belongs to one sink", &findings);
  }
  return findings;
}

TEST(Layers, EveryRoomIsListedOnceAndUnderItsDependencies) {
  const Layers layers = ParseLayers(ReadText(Root() / "tests/tidy/layers.txt"));
  EXPECT_THAT(layers.findings, IsEmpty()) << Report(layers.findings);
  std::vector<std::string> listed;
  for (const auto& entry : layers.allowed) listed.push_back(entry.first);
  EXPECT_EQ(listed, Rooms());
}

TEST(Layers, EveryIncludeIsAllowed) {
  const Edges allowed = ParseLayers(ReadText(Root() / "tests/tidy/layers.txt")).allowed;
  const std::vector<std::string> names = Rooms();
  const std::set<std::string> rooms(names.begin(), names.end());
  Findings findings;
  size_t includes = 0;
  for (const SourceFile& file : ReadTree({"src"}, {".h", ".cc"})) {
    for (const std::string& finding : CheckIncludes(file, allowed, rooms))
      findings.push_back(finding);
    ++includes;
  }
  EXPECT_GT(includes, 50u);
  EXPECT_THAT(findings, IsEmpty()) << Report(findings);
}

TEST(Layers, FoldersFormNoCircle) {
  const Findings findings = CheckFolders(ReadTree({"src"}, {".h", ".cc"}));
  EXPECT_THAT(findings, IsEmpty()) << Report(findings);
}

TEST(Layers, NobodyAsksWhichSinkItIs) {
  Findings findings;
  for (const SourceFile& file : ReadTree({"src"}, {".h", ".cc"})) {
    for (const std::string& finding : CheckSinkIsNotAsked(file)) findings.push_back(finding);
  }
  EXPECT_THAT(findings, IsEmpty()) << Report(findings);
}

TEST(Layers, LinkEdgesAgree) {
  const Edges allowed = ParseLayers(ReadText(Root() / "tests/tidy/layers.txt")).allowed;
  const Findings findings =
      CheckLinkEdges(ParseLinkEdges(ReadText(Root() / "src/CMakeLists.txt")), allowed);
  EXPECT_THAT(findings, IsEmpty()) << Report(findings);
}

TEST(LayersRule, FindsAForbiddenInclude) {
  const SourceFile file =
      MakeSource("src/encode/a.cc", "#include \"base/lsn.h\"\n#include \"sink/sink.h\"\n");
  EXPECT_THAT(CheckIncludes(file, {{"encode", {"base"}}}, {"base", "encode", "sink"}),
              ElementsAre("src/encode/a.cc:2: room 'encode' may not include room 'sink'"));
}

TEST(LayersRule, OneHeaderOfARoomIsNotTheRoom) {
  const SourceFile file =
      MakeSource("src/engine/a.cc", "#include \"sink/options.h\"\n#include \"sink/sink.h\"\n");
  const Edges allowed = {{"engine", {"base", "sink/options.h"}}, {"base", {}}, {"sink", {"base"}}};
  EXPECT_THAT(CheckIncludes(file, allowed, {"base", "engine", "sink"}),
              ElementsAre("src/engine/a.cc:2: room 'engine' may not include room 'sink'"));
  EXPECT_THAT(
      CheckLinkEdges({{"base", {}}, {"sink", {"base"}}, {"engine", {"sink", "base"}}}, allowed),
      IsEmpty());
  EXPECT_THAT(ParseLayers("base:\nengine: base sink/options.h\nsink: base\n").findings, IsEmpty());
}

TEST(LayersRule, FindsWhoAsksWhichSinkItIs) {
  EXPECT_THAT(CheckSinkIsNotAsked(MakeSource("src/loader/a.cc",
                                             "#include \"sink/options.h\"\n"
                                             "#include \"sink/kafka_sink.h\"\n"
                                             "if (properties.Text(\"sink\") == kafka) {}\n")),
              ElementsAre("src/loader/a.cc:2: includes what belongs to one sink",
                          "src/loader/a.cc:3: asks which sink it is: ask a trait of its SinkType"));
  EXPECT_THAT(CheckSinkIsNotAsked(MakeSource("src/sink/a.cc", "#include \"sink/null_sink.h\"\n")),
              IsEmpty());
}

TEST(LayersRule, MainMayIncludeAllRooms) {
  const SourceFile file = MakeSource("src/main.cc", "#include \"sink/sink.h\"\n");
  EXPECT_THAT(CheckIncludes(file, {}, {"sink"}), IsEmpty());
}

TEST(LayersRule, FindsAnEdgeUpwards) {
  EXPECT_THAT(ParseLayers("# top\nbase: event\nevent: base\n").findings,
              ElementsAre("tests/tidy/layers.txt:2: 'event' is not a room above"));
}

TEST(LayersRule, FindsFoldersThatIncludeEachOther) {
  EXPECT_THAT(CheckFolders({MakeSource("src/config/a.cc", "#include \"config/text/b.h\"\n"),
                            MakeSource("src/config/text/b.cc", "#include \"config/c/c.h\"\n"),
                            MakeSource("src/config/c/c.h", "#include \"config/a.h\"\n"),
                            MakeSource("src/main.cc", "#include \"config/a.h\"\n")}),
              ElementsAre("src/config: its files form a circle with those of other folders",
                          "src/config/c: its files form a circle with those of other folders",
                          "src/config/text: its files form a circle with those of other folders"));
}

TEST(LayersRule, FindsLinkEdgesThatAreTooManyOrTooFew) {
  const Edges allowed = {{"base", {}}, {"event", {"base"}}, {"sink", {"base", "event"}}};
  const Edges linked = ParseLinkEdges(
      "walduct_library(base DEPS absl::status)\n"
      "walduct_library(event DEPS walduct_base walduct_sink walduct_rdkafka)\n"
      "walduct_library(sink DEPS walduct_base)\n");
  EXPECT_THAT(
      CheckLinkEdges(linked, allowed),
      ElementsAre("src/CMakeLists.txt:1: room 'event' may not link room 'sink'",
                  "src/CMakeLists.txt:1: room 'sink' may include 'event' but does not link it"));
}

TEST(LayersRule, LinkEdgesMayComeThroughAnotherRoom) {
  const Edges allowed = {{"base", {}}, {"event", {"base"}}, {"sink", {"base", "event"}}};
  EXPECT_THAT(CheckLinkEdges({{"base", {}}, {"event", {"base"}}, {"sink", {"event"}}}, allowed),
              IsEmpty());
}

}  // namespace
}  // namespace walduct::tidy
