#include "replication/recording/recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "replication/recording/recording_file.h"

namespace walduct::replication {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

std::string Sample() {
  std::string bytes = BeginRecording({{"walduct", "1.2"}, {"proto_version", "1"}});
  AppendToRecording(Lsn(0x16B3748), "Bbegin", &bytes);
  AppendToRecording(Lsn(0), absl::string_view("R\0\377", 3), &bytes);
  AppendToRecording(Lsn(0x1'0000'0001), "", &bytes);
  return bytes + EndOfRecording();
}

std::string Whole(absl::string_view header, absl::string_view tuples) {
  std::string bytes("PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0", 18);
  bytes.push_back(static_cast<char>(header.size()));
  return absl::StrCat(bytes, header, tuples);
}

std::string WrongWith(const std::string& bytes) {
  return std::string(ReadRecording(bytes).status().message());
}

TEST(Recording, ReadsWhatItWrites) {
  const std::string bytes = Sample();
  const absl::StatusOr<Recording> read = ReadRecording(bytes);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->header, "walduct=1.2\nproto_version=1\n");
  ASSERT_THAT(read->messages, SizeIs(3));
  EXPECT_EQ(read->messages[0].lsn, Lsn(0x16B3748));
  EXPECT_EQ(read->messages[0].payload, "Bbegin");
  EXPECT_EQ(read->messages[1].payload, absl::string_view("R\0\377", 3));
  EXPECT_EQ(read->messages[2].lsn, Lsn(0x1'0000'0001));
  EXPECT_EQ(read->messages[2].payload, "");
}

// By hand, from PostgreSQL's description: what psql writes of pg_logical_slot_peek_binary_changes.
TEST(Recording, ReadsCopyWithoutAHeader) {
  const std::string bytes = Whole("", absl::string_view("\0\2\0\0\0\10\0\0\0\0\1\2\3\4"
                                                        "\0\0\0\3Bab\377\377",
                                                        23));
  const absl::StatusOr<Recording> read = ReadRecording(bytes);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->header, "");
  ASSERT_THAT(read->messages, SizeIs(1));
  EXPECT_EQ(read->messages[0].lsn, Lsn(0x01020304));
  EXPECT_EQ(read->messages[0].payload, "Bab");
}

TEST(Recording, SaysWhatIsWrong) {
  EXPECT_THAT(WrongWith("something else"), HasSubstr("begins with something else"));
  EXPECT_THAT(WrongWith(""), HasSubstr("begins with something else"));
  EXPECT_THAT(WrongWith(Whole("walduct recording 2\n", "\377\377")), HasSubstr("version '2'"));
  EXPECT_THAT(WrongWith(Whole("walduct recording 1", "\377\377")), HasSubstr("version '1'"));
  EXPECT_THAT(WrongWith(Whole("of others", "\377\377")), HasSubstr("no recording of a stream"));
  EXPECT_THAT(WrongWith(Whole("", absl::string_view("\0\1\0\0\0\10", 6))),
              HasSubstr("something else than (pg_lsn, bytea)"));
}

TEST(Recording, OneThatIsCutOffAnywhereIsRefused) {
  const std::string bytes = Sample();
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(ReadRecording(bytes.substr(0, size)).ok()) << size;
}

class RecordingFileTest : public ::testing::Test {
 protected:
  RecordingFileTest() { std::filesystem::remove(path_); }
  ~RecordingFileTest() override { std::filesystem::remove(path_); }

  std::string Content() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  std::filesystem::perms Mode() const { return std::filesystem::status(path_).permissions(); }

  const std::string path_ =
      testing::TempDir() + "walduct_recording_" +
      testing::UnitTest::GetInstance()->current_test_info()->name();  // tests run side by side
};

TEST_F(RecordingFileTest, IsWholeAndItsOwnersAlone) {
  absl::StatusOr<RecordingFile> file = RecordingFile::Create(path_, false, {{"a", "b"}});
  ASSERT_TRUE(file.ok()) << file.status();
  const std::string large(600 << 10, 'x');  // more than is kept back
  ASSERT_TRUE(file->Add(Lsn(7), "first").ok());
  ASSERT_TRUE(file->Add(Lsn(8), large).ok());
  ASSERT_TRUE(file->Finish().ok());
  const std::string bytes = Content();
  const absl::StatusOr<Recording> read = ReadRecording(bytes);
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_THAT(read->messages, SizeIs(2));
  EXPECT_EQ(read->messages[1].payload, large);
  EXPECT_EQ(Mode(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST_F(RecordingFileTest, OverwritesOnlyWhenTold) {
  std::ofstream(path_) << "of somebody";
  std::filesystem::permissions(path_, std::filesystem::perms::others_read,
                               std::filesystem::perm_options::add);
  const absl::Status refused = RecordingFile::Create(path_, false, {}).status();
  EXPECT_TRUE(absl::IsInvalidArgument(refused));
  EXPECT_THAT(std::string(refused.message()), HasSubstr("--force"));
  EXPECT_EQ(Content(), "of somebody");
  absl::StatusOr<RecordingFile> file = RecordingFile::Create(path_, true, {});
  ASSERT_TRUE(file.ok()) << file.status();
  ASSERT_TRUE(file->Finish().ok());
  EXPECT_TRUE(ReadRecording(Content()).ok());
  EXPECT_EQ(Mode(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
}

TEST_F(RecordingFileTest, NoDeviceAndNoLinkIsOverwritten) {
  std::filesystem::create_symlink(testing::TempDir() + "walduct_recording_elsewhere", path_);
  EXPECT_FALSE(RecordingFile::CheckPath(path_, false).ok());
  EXPECT_FALSE(RecordingFile::Create(path_, true, {}).ok());
  EXPECT_FALSE(RecordingFile::Create("/dev/full", true, {}).ok());
}

TEST_F(RecordingFileTest, SaysWhichFileCannotBeWritten) {
  const absl::Status missing = RecordingFile::Create("/nowhere/recording", false, {}).status();
  EXPECT_THAT(std::string(missing.message()), HasSubstr("/nowhere/recording cannot be written"));
}

}  // namespace
}  // namespace walduct::replication
