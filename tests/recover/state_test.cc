#include "recover/state.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace walduct::recover {
namespace {

class StateTest : public testing::Test {
 protected:
  StateTest() { std::filesystem::create_directories(root_); }
  ~StateTest() override { std::filesystem::remove_all(root_); }

  void Write(const std::string& text) const { std::ofstream(root_ + "/gate.json") << text; }

  const std::string root_ =
      testing::TempDir() + "/state-" +
      testing::UnitTest::GetInstance()->current_test_info()->name();  // tests run side by side
  const StateFolder folder_{root_};
};

TEST_F(StateTest, NotesAreReadAsTheyWereWritten) {
  GateNotes notes;
  notes.data_folder = "1:2";
  notes.file = "000000010000000000000005";
  notes.cut = Cut{Lsn(100), Lsn(200), std::nullopt, std::nullopt, true};
  notes.locked_from = {Xid(700)};
  notes.locked = {Xid(700), Xid(4000000000)};
  ASSERT_TRUE(folder_.WriteNotes(notes).ok());
  const auto read = folder_.ReadNotes();
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_TRUE(read->cut);
  EXPECT_TRUE(read->cut->ddl);
  EXPECT_EQ(read->cut->end, Lsn(200));
  EXPECT_EQ(read->locked_from, notes.locked_from);
  EXPECT_EQ(read->locked, notes.locked);
}

// Of a version before.
TEST_F(StateTest, MembersThatAreMissing) {
  Write(R"({"data_folder": "1:2", "cut": {"over": "0/64", "end": "0/C8"}})");
  const auto read = folder_.ReadNotes();
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_FALSE(read->cut->ddl);
  EXPECT_TRUE(read->locked_from.empty() && read->locked.empty());
  for (const char* const bad : {R"("700")", "[-1]", R"(["700"])"}) {
    Write(std::string(R"({"locked": )") + bad + "}");
    EXPECT_FALSE(folder_.ReadNotes().ok()) << bad;
  }
}

}  // namespace
}  // namespace walduct::recover
