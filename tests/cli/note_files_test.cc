#include "cli/process/note_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace walduct::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class NoteFilesTest : public testing::Test {
 protected:
  NoteFilesTest() {
    for (const char* const name : {"WALDUCT_STATE_DIRECTORY", "STATE_DIRECTORY"}) unsetenv(name);
    std::string pattern = absl::StrCat(testing::TempDir(), "/notes-XXXXXX");
    root_ = mkdtemp(pattern.data());
    setenv("TMPDIR", root_.c_str(), 1);
  }
  ~NoteFilesTest() override {
    for (const char* const name : {"WALDUCT_STATE_DIRECTORY", "STATE_DIRECTORY", "TMPDIR"})
      unsetenv(name);
    std::filesystem::remove_all(root_);
  }
  std::string Folder(const std::string& name, mode_t mode) {
    const std::string path = absl::StrCat(root_, "/", name);
    mkdir(path.c_str(), mode);
    chmod(path.c_str(), mode);
    return path;
  }

  std::string root_;
};

TEST_F(NoteFilesTest, AUnitsFolderIsBeforeTheTemporaryOne) {
  EXPECT_EQ(NotesFolder(), absl::StrCat(root_, "/walduct-", geteuid()));
  setenv("STATE_DIRECTORY", "/var/lib/walduct/shop:/var/lib/other", 1);
  EXPECT_EQ(NotesFolder(), "/var/lib/walduct/shop");
  setenv("WALDUCT_STATE_DIRECTORY", "/here", 1);
  EXPECT_EQ(NotesFolder(), "/here");
}

// A unit with DynamicUser has links, and may have several.
TEST_F(NoteFilesTest, TheFirstOfAUnitsFoldersMayBeALink) {
  const std::string link = root_ + "/link";
  std::filesystem::create_directory_symlink(Folder("private", 0755), link);
  setenv("STATE_DIRECTORY", absl::StrCat(link, ":", root_, "/other").c_str(), 1);
  ASSERT_TRUE(WriteNote(NotesFolder() + "/x", "text").ok());
  EXPECT_EQ(ReadNote(NotesFolder() + "/x", nullptr), "text");
}

// As of a process that had other settings, or was another user's, where root asks.
TEST_F(NoteFilesTest, OtherFoldersAreReadToo) {
  const std::string first = NotesFolder();
  ASSERT_TRUE(WriteNote(first + "/at--8083.json", "first").ok());
  setenv("WALDUCT_STATE_DIRECTORY", absl::StrCat(root_, "/mine").c_str(), 1);
  std::vector<std::string> denied;
  EXPECT_THAT(ReadNotes("at--8083.json", &denied), ElementsAre("first"));
  ASSERT_TRUE(WriteNote(NotesFolder() + "/at--8083.json", "second").ok());
  EXPECT_THAT(ReadNotes("at--8083.json", &denied), ElementsAre("second", "first"));
  EXPECT_THAT(denied, IsEmpty());
}

// Whoever makes a folder of another user's name is not believed.
TEST_F(NoteFilesTest, AFolderBelongsToWhomItsNameSays) {
  const std::string folder = Folder(absl::StrCat("walduct-", geteuid() + 1), 0755);
  ASSERT_TRUE(WriteNote(folder + "/at--1.json", "forged").ok());
  EXPECT_THAT(ReadNotes("at--1.json", nullptr), IsEmpty());
}

TEST_F(NoteFilesTest, SaysWhyNothingCanBeWritten) {
  setenv("WALDUCT_STATE_DIRECTORY", Folder("open", 0777).c_str(), 1);
  EXPECT_THAT(std::string(CheckNotes().message()), HasSubstr("/open: is not a folder that"));
  EXPECT_FALSE(WriteNote(NotesFolder() + "/x", "text").ok());
  setenv("WALDUCT_STATE_DIRECTORY", "/proc/none", 1);
  EXPECT_THAT(std::string(CheckNotes().message()), HasSubstr("/proc/none: No such file"));
  EXPECT_THAT(ReadNotes("x", nullptr), IsEmpty());
  unsetenv("WALDUCT_STATE_DIRECTORY");
  EXPECT_TRUE(CheckNotes().ok());
}

// Root may read all.
TEST_F(NoteFilesTest, SaysWhatItMayNotRead) {
  const bool may_all = geteuid() == 0;
  ASSERT_TRUE(WriteNote(NotesFolder() + "/at--1.json", "text").ok());
  chmod(absl::StrCat(NotesFolder(), "/at--1.json").c_str(), 0);
  std::vector<std::string> denied;
  EXPECT_EQ(ReadNotes("at--1.json", &denied).empty(), !may_all);
  const std::vector<std::string> owner = {absl::StrCat("user ", geteuid())};
  EXPECT_EQ(denied, may_all ? std::vector<std::string>() : owner);
}

}  // namespace
}  // namespace walduct::cli
