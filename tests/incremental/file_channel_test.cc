// Signals in a file: what is taken when, and when the file is emptied.
#include "incremental/channels/file_channel.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace walduct::incremental {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class FileChannelTest : public testing::Test {
 protected:
  FileChannelTest()
      : path_(absl::StrCat(testing::TempDir(), "/signals-", getpid(), ".txt")), channel_(path_) {
    std::filesystem::remove(path_);
  }
  ~FileChannelTest() override { std::filesystem::remove(path_); }

  void Append(const std::string& text) { std::ofstream(path_, std::ios::app) << text; }
  std::string Content() {
    std::ostringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
  }
  // Ids; "!": no signal.
  std::vector<std::string> Poll() {
    absl::StatusOr<SignalChannel::Signals> signals = channel_.Poll();
    EXPECT_TRUE(signals.ok()) << signals.status();
    std::vector<std::string> ids;
    for (const auto& one : *signals) ids.push_back(one.ok() ? one->id : "!");
    return ids;
  }

  const std::string path_;
  FileChannel channel_;
};

TEST_F(FileChannelTest, AFileThatIsNotThereHasNoSignals) { EXPECT_THAT(Poll(), IsEmpty()); }

TEST_F(FileChannelTest, TheFileIsEmptiedWhenAllIsDone) {
  Append("{\"id\": \"a\", \"type\": \"log\", \"data\": {\"message\": \"x\"}}\n\n{\"id\": \"b\"}\n");
  EXPECT_THAT(Poll(), ElementsAre("a", "b"));
  EXPECT_THAT(Poll(), IsEmpty());
  channel_.Done(1);
  EXPECT_THAT(Poll(), IsEmpty());
  EXPECT_NE(Content(), "");
  channel_.Done(1);
  EXPECT_THAT(Poll(), IsEmpty());
  EXPECT_EQ(Content(), "");
  Append("{\"id\": \"c\"}\n");
  EXPECT_THAT(Poll(), ElementsAre("c"));
}

TEST_F(FileChannelTest, WhatIsNotDoneComesAgainAfterACrash) {
  Append("{\"id\": \"a\"}\n");
  EXPECT_THAT(Poll(), ElementsAre("a"));
  FileChannel next(path_);
  EXPECT_EQ(next.Poll()->front()->id, "a");
}

TEST_F(FileChannelTest, ALineThatIsBeingWrittenIsWaitedFor) {
  Append("{\"id\": ");
  EXPECT_THAT(Poll(), IsEmpty());
  Append("\"a\"}");
  EXPECT_THAT(Poll(), IsEmpty());
  EXPECT_THAT(Poll(), ElementsAre("a"));
}

TEST_F(FileChannelTest, WhatIsWrittenMeanwhileStays) {
  Append("{\"id\": \"a\"}\n");
  EXPECT_THAT(Poll(), ElementsAre("a"));
  channel_.Done(1);
  Append("{\"id\": \"b\"}\n");
  EXPECT_THAT(Poll(), ElementsAre("b"));
  EXPECT_NE(Content(), "");
  channel_.Done(1);
  EXPECT_THAT(Poll(), IsEmpty());
  EXPECT_EQ(Content(), "");
}

TEST_F(FileChannelTest, ABrokenLineIsToldAndTheRestIsTaken) {
  Append("broken line\n{\"id\": \"a\"}\n");
  EXPECT_THAT(Poll(), ElementsAre("!", "a"));
}

TEST_F(FileChannelTest, AFileThatIsReplacedIsReadFromItsBeginning) {
  Append("{\"id\": \"a\"}\n");
  EXPECT_THAT(Poll(), ElementsAre("a"));
  const std::string other = path_ + ".new";
  std::ofstream(other) << "{\"id\": \"b\"}\n{\"id\": \"c\"}\n";
  std::filesystem::rename(other, path_);
  EXPECT_THAT(Poll(), ElementsAre("b", "c"));
}

}  // namespace
}  // namespace walduct::incremental
