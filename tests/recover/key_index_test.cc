#include "recover/read/key_index.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/error.h"

namespace walduct::recover {
namespace {

class KeyIndexTest : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = KeyIndex::Open(testing::TempDir());
    ASSERT_TRUE(opened.ok()) << opened.status();
    index_ = *std::move(opened);
  }
  void Add(uint32_t topic, const std::string& key, int32_t partition, int64_t time,
           LastRecord record) {
    record.time_ms = time;
    ASSERT_TRUE(index_->Add(topic, key, partition, record).ok());
  }
  std::optional<LastRecord> Find(uint32_t topic, const std::string& key, bool* seen) {
    auto found = index_->Find(KeyHash::Of(topic, key), seen);
    EXPECT_TRUE(found.ok()) << found.status();
    return found.ok() ? *found : std::nullopt;
  }
  std::multimap<uint32_t, std::string> Unseen() {
    std::multimap<uint32_t, std::string> all;
    while (true) {
      auto next = index_->NextUnseen();
      EXPECT_TRUE(next.ok()) << next.status();
      if (!next.ok() || !*next) return all;
      all.emplace((*next)->topic, (*next)->key);
    }
  }

  std::unique_ptr<KeyIndex> index_;
};

TEST_F(KeyIndexTest, TheLastRecordOfEachKey) {
  constexpr int kKeys = 20'000;
  for (int turn = 0; turn < 3; ++turn)
    for (int i = 0; i < kKeys; ++i)
      Add(0, absl::StrCat("key ", i), i % 4, 10 - turn,
          {.digest = static_cast<uint64_t>(turn * kKeys + i), .gone = turn == 2 && i % 10 == 0});
  ASSERT_TRUE(index_->Seal().ok());
  EXPECT_EQ(index_->keys(), static_cast<uint64_t>(kKeys));
  bool seen = true;
  for (int i = 0; i < kKeys; ++i) {
    if (i % 3 == 0) continue;
    const std::optional<LastRecord> last = Find(0, absl::StrCat("key ", i), &seen);
    ASSERT_TRUE(last) << i;
    EXPECT_EQ(last->digest, static_cast<uint64_t>(2 * kKeys + i));
    EXPECT_EQ(last->gone, i % 10 == 0);
    EXPECT_FALSE(seen);
  }
  EXPECT_TRUE(Find(0, "key 1", &seen) && seen);
  EXPECT_FALSE(Find(0, "another", &seen));
  EXPECT_FALSE(Find(1, "key 1", &seen));
  const auto unseen = Unseen();
  size_t expected = 0;
  for (int i = 0; i < kKeys; i += 3) expected += i % 10 != 0 ? 1 : 0;
  EXPECT_EQ(unseen.size(), expected);
  for (const auto& [topic, key] : unseen) EXPECT_EQ(topic, 0u) << key;
}

TEST_F(KeyIndexTest, OfOneKeyInTwoPartitionsTheYoungestCounts) {
  Add(3, "a", 0, 100, {.digest = 1});
  Add(3, "a", 1, 50, {.digest = 2});
  Add(3, "a", 0, 90, {.digest = 3});  // the partition's order is what counts in it
  Add(3, "b", 1, 10, {.digest = 4});
  Add(3, "b", 0, 20, {.digest = 5, .later = true});
  ASSERT_TRUE(index_->Seal().ok());
  bool seen = false;
  EXPECT_EQ(Find(3, "a", &seen)->digest, 3u);
  EXPECT_THAT(Unseen(), testing::IsEmpty());
  EXPECT_EQ(Find(3, "b", &seen)->digest, 5u);
}

TEST(KeyIndexFolderTest, AFolderThatIsNotThereIsNamed) {
  EXPECT_EQ(ErrorReason(KeyIndex::Open("/nowhere").status()), "recover_read_folder");
}

}  // namespace
}  // namespace walduct::recover
