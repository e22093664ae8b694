#include "sink/line/line_sink.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "kafka/options.h"
#include "sink/line/line_sink.h"
#include "sink/null_sink.h"

namespace walduct::sink {
namespace {

class Acks final : public AckHandler {
 public:
  void OnAcknowledged(Ticket ticket, uint32_t count) override { all.emplace_back(ticket, count); }
  std::vector<std::pair<Ticket, uint32_t>> all;
};

class LineSinkTest : public testing::Test {
 protected:
  LineSinkTest()
      : path_(testing::TempDir() + "/records-" +
              testing::UnitTest::GetInstance()->current_test_info()->name()) {
    std::filesystem::remove(path_);
  }
  ~LineSinkTest() override { std::filesystem::remove(path_); }

  std::unique_ptr<Sink> Open() const {
    auto sink = LineSink::ToFile(FileSinkOptions{.buffer_bytes = 300u << 10, .path = path_});
    EXPECT_TRUE(sink.ok()) << sink.status();
    return *std::move(sink);
  }
  std::string Content() const {
    std::ifstream in(path_);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }
  static event::Record Of(absl::string_view value) {
    return {.topic = "t", .partition = {}, .key = {}, .value = value, .headers = {}};
  }

  const std::string path_;
  Acks acks_;
};

constexpr char kLineA[] =
    "{\"topic\":\"t\",\"partition\":0,\"key\":null,\"value\":\"a\",\"headers\":[]}\n";

TEST_F(LineSinkTest, RecordsAreInTheFileBeforeTheyAreAcknowledged) {
  const auto sink = Open();
  ASSERT_TRUE(sink->Write(Of("a"), 1).ok());
  ASSERT_TRUE(sink->Write(Of("a"), 1).ok());
  ASSERT_TRUE(sink->Write(Of("a"), 2).ok());
  EXPECT_TRUE(acks_.all.empty());
  ASSERT_TRUE(sink->Poll(acks_).ok());
  EXPECT_EQ(acks_.all, (std::vector<std::pair<Ticket, uint32_t>>{{1, 2}, {2, 1}}));
  EXPECT_EQ(Content(), std::string(kLineA) + kLineA + kLineA);
}

TEST_F(LineSinkTest, AFileIsAppendedTo) {
  ASSERT_TRUE(Open()->Flush(acks_, absl::Seconds(1)).ok());
  for (int i = 0; i < 2; ++i) {
    const auto sink = Open();
    ASSERT_TRUE(sink->Write(Of("a"), 1).ok());
    ASSERT_TRUE(sink->Flush(acks_, absl::Seconds(1)).ok());
  }
  EXPECT_EQ(Content(), std::string(kLineA) + kLineA);
}

TEST_F(LineSinkTest, ANewFileIsForItsOwnerAloneAndAnOldOneKeepsItsMode) {
  using std::filesystem::perms;
  const auto mode = [&] { return std::filesystem::status(path_).permissions(); };
  Open();
  EXPECT_EQ(mode(), perms::owner_read | perms::owner_write);
  std::filesystem::permissions(path_, perms::group_read, std::filesystem::perm_options::add);
  Open();
  EXPECT_EQ(mode(), perms::owner_read | perms::owner_write | perms::group_read);
}

TEST_F(LineSinkTest, HalfARecordOfACrashIsCutOff) {
  const std::string large(100u << 10, 'x');
  const std::string line = absl::StrCat("{\"topic\":\"t\",\"partition\":0,\"key\":\"", large);
  for (const size_t torn : {size_t{1}, size_t{9}, size_t{30}, line.size()}) {
    std::ofstream(path_) << kLineA << line.substr(0, torn);
    const auto sink = Open();
    ASSERT_TRUE(sink->Write(Of("a"), 1).ok());
    ASSERT_TRUE(sink->Flush(acks_, absl::Seconds(1)).ok());
    EXPECT_EQ(Content(), std::string(kLineA) + kLineA) << torn;
  }
  std::ofstream(path_) << line;  // in the first record
  Open();
  EXPECT_EQ(Content(), "");
}

TEST_F(LineSinkTest, ALastLineThatIsNoRecordIsEndedAndKept) {
  std::ofstream(path_) << "a\n# written by hand";
  const auto sink = Open();
  ASSERT_TRUE(sink->Write(Of("a"), 1).ok());
  ASSERT_TRUE(sink->Flush(acks_, absl::Seconds(1)).ok());
  EXPECT_EQ(Content(), absl::StrCat("a\n# written by hand\n", kLineA));
}

TEST_F(LineSinkTest, ABurstIsWrittenOutBeforePoll) {
  const auto sink = Open();
  const std::string large(100u << 10, 'x');
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(sink->HasCapacity());
    ASSERT_TRUE(sink->Write(Of(large), 1).ok());
  }
  EXPECT_GT(std::filesystem::file_size(path_), 600u << 10);
}

TEST_F(LineSinkTest, AnUnwritablePathIsSaidAtOnce) {
  const absl::Status status = LineSink::ToFile({.path = "/no/such/directory/records"}).status();
  EXPECT_EQ(ErrorReason(status), "output_unwritable");
  EXPECT_NE(status.message().find("/no/such/directory/records"), absl::string_view::npos);
  EXPECT_NE(ErrorHint(status).find("check sink.file.path,"), std::string::npos);
  const FileSinkOptions of_another{.path = "/no/such/directory/records", .property = "letters"};
  EXPECT_NE(ErrorHint(LineSink::CheckFile(of_another)).find("check letters,"), std::string::npos);
}

TEST_F(LineSinkTest, AFullDiskBreaksTheSinkAndNothingIsAcknowledged) {
  const auto sink = LineSink::ToFile({.path = "/dev/full"});
  ASSERT_TRUE(sink.ok()) << sink.status();
  ASSERT_TRUE((*sink)->Write(Of("a"), 1).ok());
  EXPECT_EQ(ErrorReason((*sink)->Poll(acks_)), "output_unwritable");
  EXPECT_EQ(ErrorReason((*sink)->Write(Of("a"), 2)), "output_unwritable");
  EXPECT_TRUE(acks_.all.empty());
}

// `walduct tail | head`; of a connector's own sink it is an error.
TEST_F(LineSinkTest, AReaderThatHasHadEnoughEndsALook) {
  signal(SIGPIPE, SIG_IGN);
  const int kept = dup(STDOUT_FILENO);
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  dup2(ends[1], STDOUT_FILENO);
  int left = 0;
  const auto look = LineSink::ToStandardOutput({.reader_left = [&left] { ++left; }});
  const auto sink = LineSink::ToStandardOutput({});
  const absl::Status written = (*look)->Write(Of("a"), 1), looked = (*look)->Poll(acks_);
  (*sink)->Write(Of("a"), 2).IgnoreError();
  const absl::Status lost = (*sink)->Poll(acks_);
  dup2(kept, STDOUT_FILENO);
  close(kept);
  close(ends[1]);
  signal(SIGPIPE, SIG_DFL);
  EXPECT_TRUE(written.ok() && looked.ok()) << written << looked;
  EXPECT_EQ(left, 1);
  EXPECT_EQ((*look)->load().bytes, 0u);
  EXPECT_EQ(ErrorReason(lost), "output_unwritable");
  EXPECT_EQ(acks_.all, (std::vector<std::pair<Ticket, uint32_t>>{{1, 1}}));
}

TEST_F(LineSinkTest, TheNullDeviceTakesEachRecordAtOnce) {
  const auto opened = LineSink::ToFile(FileSinkOptions{.buffer_bytes = 1, .path = "/dev/null"});
  ASSERT_TRUE(opened.ok()) << opened.status();
  Sink& sink = **opened;
  for (const Ticket ticket : {1u, 1u, 2u})
    ASSERT_TRUE(sink.Write(Of(std::string(300u << 10, 'a')), ticket).ok());
  EXPECT_TRUE(sink.HasCapacity());
  EXPECT_EQ(sink.load().bytes, 0u);
  ASSERT_TRUE(sink.Poll(acks_).ok());
  EXPECT_EQ(acks_.all, (std::vector<std::pair<Ticket, uint32_t>>{{1, 2}, {2, 1}}));
  ASSERT_TRUE(sink.Flush(acks_, absl::ZeroDuration()).ok());
  EXPECT_EQ(acks_.all.size(), 2u);
}

TEST_F(LineSinkTest, APipeIsWrittenToOnceSomebodyReadsIt) {
  ASSERT_EQ(mkfifo(path_.c_str(), 0600), 0);
  const absl::Status alone = LineSink::ToFile({.path = path_}).status();
  EXPECT_TRUE(absl::IsUnavailable(alone)) << alone;
  EXPECT_EQ(ErrorReason(alone), "output_unwritable");
  const int reader = open(path_.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  const auto sink = Open();
  ASSERT_TRUE(sink->Write(Of("a"), 1).ok());
  ASSERT_TRUE(sink->Poll(acks_).ok());
  EXPECT_EQ(acks_.all.size(), 1u);
  char text[200] = {};
  EXPECT_EQ(read(reader, text, sizeof(text) - 1), static_cast<ssize_t>(sizeof(kLineA) - 1));
  EXPECT_STREQ(text, kLineA);
  close(reader);
}

// A link to it is it; another device is a file like any.
TEST_F(LineSinkTest, WhatIsTheNullDeviceIsAskedOfTheSystem) {
  std::filesystem::create_symlink("/dev/null", path_);
  EXPECT_NE(dynamic_cast<NullSink*>(Open().get()), nullptr);
  std::filesystem::remove(path_);
  EXPECT_EQ(dynamic_cast<NullSink*>(Open().get()), nullptr);
  const auto full = LineSink::ToFile(FileSinkOptions{.buffer_bytes = 1, .path = "/dev/full"});
  ASSERT_TRUE(full.ok()) << full.status();
  EXPECT_EQ(dynamic_cast<NullSink*>(full->get()), nullptr);
}

}  // namespace
}  // namespace walduct::sink
