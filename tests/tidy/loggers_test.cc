// Each room that writes lines to the log has a logger of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>

#include "tests/tidy/source_tree.h"

namespace walduct::tidy {
namespace {

TEST(LoggersTest, RoomsThatLogAreListed) {
  static const std::regex kLine("\\blog::(Debug|Info|Warn|Error)\\(");
  std::set<std::string> rooms;
  for (const SourceFile& file : ReadTree({"src"}, {".h", ".cc"})) {
    if (std::regex_search(file.code, kLine)) rooms.insert(RoomOf(file));
  }
  const std::string board = ReadText(Root() / "src/serve/rest/logger_board.cc");
  const size_t begin = board.find("kRooms[] = {");
  ASSERT_NE(begin, std::string::npos);
  const std::string list = board.substr(begin, board.find('}', begin) - begin);
  std::set<std::string> listed;
  static const std::regex kName("\"([a-z]+)\"");
  for (std::sregex_iterator name(list.begin(), list.end(), kName), end; name != end; ++name)
    listed.insert((*name)[1]);
  EXPECT_EQ(listed, rooms);
}

}  // namespace
}  // namespace walduct::tidy
