#include "spill/spill.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "tests/support/fake_spill_disk.h"

namespace walduct::spill {
namespace {

using testing::HasSubstr;

struct Kept {
  uint32_t xid = 0;
  uint64_t number = 0;
  std::string bytes;
  bool operator==(const Kept&) const = default;
};

class SpillTest : public testing::Test {
 protected:
  std::unique_ptr<Spill> Open(uint64_t max_bytes = 0) {
    auto spill = Spill::Open(std::make_unique<test::FakeSpillDisk>(&disk_), max_bytes);
    EXPECT_TRUE(spill.ok()) << spill.status();
    return *std::move(spill);
  }
  static std::unique_ptr<MessageFile> NewFile(Spill& spill) {
    auto file = spill.NewFile();
    EXPECT_TRUE(file.ok()) << file.status();
    return *std::move(file);
  }
  static absl::Status Append(MessageFile& file, const Kept& message) {
    const absl::string_view bytes = message.bytes;
    return file.Append(Xid{message.xid}, message.number, bytes.substr(0, 1),
                       bytes.empty() ? bytes : bytes.substr(1));
  }
  // Until the end or an error, which is returned.
  static absl::Status ReadAll(std::unique_ptr<MessageFile> file, std::vector<Kept>& messages) {
    MessageReader reader(std::move(file));
    Message message;
    while (true) {
      const absl::StatusOr<bool> read = reader.Next(message);
      if (!read.ok()) return read.status();
      if (!*read) return absl::OkStatus();
      messages.push_back({ToInteger(message.xid), message.number, std::string(message.bytes)});
    }
  }

  test::FakeSpillDisk::State disk_;
};

std::string Noise(size_t size, uint32_t seed) {
  std::mt19937 random(seed);
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random());
  return bytes;
}

TEST_F(SpillTest, GivesBackWhatItWasGiven) {
  const auto spill = Open();
  std::mt19937 random(7);
  std::vector<Kept> messages;
  auto file = NewFile(*spill);
  for (uint32_t i = 0; i < 5000; ++i) {
    messages.push_back({i % 7, uint64_t{i} << 20, Noise(random() % 300, i)});
    ASSERT_TRUE(Append(*file, messages.back()).ok());
    if (random() % 100 == 0) {
      ASSERT_TRUE(file->EndFrame().ok());
    }
  }
  ASSERT_TRUE(file->EndFrame().ok());
  std::vector<Kept> read;
  ASSERT_TRUE(ReadAll(std::move(file), read).ok());
  EXPECT_TRUE(read == messages);
}

TEST_F(SpillTest, MessagesAboutTheSizeOfAFrameAndFarBeyond) {
  const auto spill = Open();
  std::vector<Kept> messages;
  auto file = NewFile(*spill);
  for (const size_t size :
       {Spill::kFrameBytes - 17, Spill::kFrameBytes - 16, Spill::kFrameBytes - 15,
        Spill::kFrameBytes, size_t{1}, size_t{0}, size_t{9'000'000}, size_t{3}}) {
    messages.push_back({1, size, Noise(size, static_cast<uint32_t>(size))});
    ASSERT_TRUE(Append(*file, messages.back()).ok());
  }
  ASSERT_TRUE(file->EndFrame().ok());
  std::vector<Kept> read;
  ASSERT_TRUE(ReadAll(std::move(file), read).ok());
  EXPECT_TRUE(read == messages);
}

TEST_F(SpillTest, RowsThatAreAlikeTakeLittleRoom) {
  const auto spill = Open();
  const auto file = NewFile(*spill);
  size_t size = 0;
  for (uint32_t i = 0; i < 20'000; ++i) {
    const Kept row = {1, i, absl::StrCat("an order of ", i, " with the usual remark")};
    size += row.bytes.size();
    ASSERT_TRUE(Append(*file, row).ok());
  }
  ASSERT_TRUE(file->EndFrame().ok());
  EXPECT_LT(file->bytes(), size / 3);
}

TEST_F(SpillTest, CountsWhatIsOnDisk) {
  const auto spill = Open();
  auto one = NewFile(*spill);
  auto two = NewFile(*spill);
  ASSERT_TRUE(Append(*one, {1, 1, Noise(300'000, 1)}).ok());
  ASSERT_TRUE(Append(*two, {2, 1, Noise(200, 2)}).ok());
  ASSERT_TRUE(two->EndFrame().ok());
  EXPECT_EQ(spill->files(), 2u);
  EXPECT_EQ(spill->bytes(), one->bytes() + two->bytes());
  EXPECT_EQ(spill->bytes(), disk_.bytes);
  one.reset();
  EXPECT_EQ(spill->bytes(), two->bytes());
  two.reset();
  EXPECT_EQ(spill->bytes(), 0u);
  EXPECT_EQ(disk_.files, 0u);
}

TEST_F(SpillTest, TheLimitIsOfAllFilesTogether) {
  const auto spill = Open(/*max_bytes=*/400'000);
  auto one = NewFile(*spill);
  auto two = NewFile(*spill);
  ASSERT_TRUE(Append(*one, {1, 1, Noise(300'000, 1)}).ok());
  const absl::Status refused = Append(*two, {2, 1, Noise(300'000, 2)});
  EXPECT_EQ(ErrorReason(refused), "spill_full");
  EXPECT_TRUE(absl::IsFailedPrecondition(refused));
  EXPECT_THAT(std::string(refused.message()), HasSubstr("the limit is 400000"));
  EXPECT_THAT(std::string(refused.message()), HasSubstr("2 transactions"));
  EXPECT_THAT(ErrorHint(refused), HasSubstr("walduct.transaction.spill.max.bytes"));
  EXPECT_LE(disk_.bytes, 400'000u);
}

TEST_F(SpillTest, ADiskThatIsFullAtAnyByte) {
  for (size_t room = 7; room < 5000; room += 97) {
    disk_ = {};
    disk_.room = room;
    const auto spill = Open();
    auto file = NewFile(*spill);
    absl::Status status;
    for (uint32_t i = 0; status.ok() && i < 100; ++i) {
      status = Append(*file, {1, i, Noise(100, i)});
      if (status.ok()) status = file->EndFrame();
    }
    EXPECT_EQ(ErrorReason(status), "spill_full") << room;
  }
}

TEST_F(SpillTest, ADirectoryThatCannotBeWrittenIsFoundWhenItIsOpened) {
  disk_.writable = false;
  EXPECT_EQ(ErrorReason(Spill::Open(std::make_unique<test::FakeSpillDisk>(&disk_), 0).status()),
            "spill_unwritable");
  disk_.writable = true;
  disk_.room = 3;
  EXPECT_EQ(ErrorReason(Spill::Open(std::make_unique<test::FakeSpillDisk>(&disk_), 0).status()),
            "spill_full");
}

// Whatever happens to the bytes: the messages before it, or fewer, and an error. Never another one.
TEST_F(SpillTest, SpoiledBytesAreNeverHandedOut) {
  std::vector<Kept> messages;
  for (uint32_t i = 0; i < 30; ++i) messages.push_back({i, i, absl::StrCat("message ", i)});
  size_t size = 0, unnoticed = 0;
  for (size_t spoiled = 0; spoiled == 0 || spoiled < size; ++spoiled) {
    const auto spill = Open();
    auto file = NewFile(*spill);
    for (const Kept& message : messages) {
      ASSERT_TRUE(Append(*file, message).ok());
      if (message.xid % 10 == 9) {
        ASSERT_TRUE(file->EndFrame().ok());
      }
    }
    size = file->bytes();
    disk_.spoiled = spoiled;
    std::vector<Kept> read;
    const absl::Status status = ReadAll(std::move(file), read);
    EXPECT_TRUE(std::equal(read.begin(), read.end(), messages.begin())) << spoiled;
    if (status.ok()) {
      EXPECT_EQ(read.size(), messages.size()) << spoiled;
      ++unnoticed;
      continue;
    }
    EXPECT_EQ(ErrorReason(status), "spill_unreadable") << spoiled;
    EXPECT_TRUE(absl::IsUnavailable(status)) << "the server sends it again";
    ASSERT_LT(read.size(), messages.size());
  }
  EXPECT_GT(size, 100u);
  EXPECT_LE(unnoticed, 6u) << "a few bits of each frame's header say nothing of its content";
}

TEST_F(SpillTest, AFileThatIsCutOff) {
  for (size_t readable = 1; readable < 60; ++readable) {
    const auto spill = Open();
    auto file = NewFile(*spill);
    ASSERT_TRUE(Append(*file, {1, 1, Noise(200, 1)}).ok());
    ASSERT_TRUE(file->EndFrame().ok());
    disk_.readable = readable;
    std::vector<Kept> read;
    EXPECT_EQ(ErrorReason(ReadAll(std::move(file), read)), "spill_unreadable") << readable;
    EXPECT_TRUE(read.empty());
  }
}

TEST_F(SpillTest, ADiskThatCannotBeRead) {
  const auto spill = Open();
  auto file = NewFile(*spill);
  ASSERT_TRUE(Append(*file, {1, 1, "x"}).ok());
  ASSERT_TRUE(file->EndFrame().ok());
  disk_.read_fails = true;
  std::vector<Kept> read;
  EXPECT_EQ(ErrorReason(ReadAll(std::move(file), read)), "spill_unreadable");
}

TEST_F(SpillTest, AnEmptyFile) {
  const auto spill = Open();
  auto file = NewFile(*spill);
  ASSERT_TRUE(file->EndFrame().ok());
  std::vector<Kept> read;
  EXPECT_TRUE(ReadAll(std::move(file), read).ok());
  EXPECT_TRUE(read.empty());
}

}  // namespace
}  // namespace walduct::spill
