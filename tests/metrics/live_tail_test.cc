#include "metrics/live_tail.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace walduct::metrics {
namespace {

LiveTail::Entry EntryOf(uint64_t number) {
  LiveTail::Entry entry{.number = number, .topic = "t"};
  entry.key = "k";
  entry.value = "v";
  return entry;
}

TEST(LiveTailTest, NothingIsKeptWithoutAViewer) {
  LiveTail tail;
  EXPECT_FALSE(tail.wanted());
  EXPECT_THAT(tail.Look(0, false), testing::IsEmpty());
  EXPECT_TRUE(tail.wanted());
  EXPECT_FALSE(tail.wants_texts());
}

TEST(LiveTailTest, ALookAsksForSoManyAndNoMore) {
  LiveTail tail;
  tail.Look(0, true);
  uint64_t number = 0;
  while (tail.wanted()) tail.Show(EntryOf(++number));
  EXPECT_EQ(number, LiveTail::kGrant);
  const auto entries = tail.Look(0, true);
  ASSERT_EQ(entries.size(), LiveTail::kGrant);
  EXPECT_EQ(entries.front().number, 1u);
  EXPECT_EQ(entries.back().value, "v");
  EXPECT_TRUE(tail.wanted());
  tail.Show(EntryOf(999));
  const auto later = tail.Look(number, true);
  ASSERT_EQ(later.size(), 1u);
  EXPECT_EQ(later[0].number, 999u);
}

TEST(LiveTailTest, WhoMayNotSeeTextsGetsNone) {
  LiveTail tail;
  tail.Look(0, true);
  tail.Show(EntryOf(1));
  const auto entries = tail.Look(0, false);
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].key, std::nullopt);
  EXPECT_EQ(entries[0].value, std::nullopt);
  EXPECT_FALSE(tail.wants_texts());
}

TEST(LiveTailTest, BeginningsAreWholeCharacters) {
  EXPECT_EQ(BeginningOf("plain"), "plain");
  EXPECT_EQ(BeginningOf(std::string("\0\0\0\0\1x", 6)), std::nullopt);
  EXPECT_EQ(BeginningOf("\xff"), std::nullopt);
  const std::string cut = std::string(LiveTail::kMostText - 1, 'a') + "\xc3\xa9";
  EXPECT_EQ(BeginningOf(cut), std::string(LiveTail::kMostText - 1, 'a'));
}

TEST(LiveTailTest, ReadersDoNotHoldTheWriterUp) {
  LiveTail tail;
  tail.Look(0, true);
  std::atomic<bool> over{false};
  std::thread reader([&] {
    while (!over) tail.Look(0, true);
  });
  uint64_t shown = 0;
  for (uint64_t number = 1; number <= 100000; ++number) {
    if (!tail.wanted()) continue;
    tail.Show(EntryOf(number));
    ++shown;
  }
  over = true;
  reader.join();
  EXPECT_LE(tail.Look(0, true).size(), LiveTail::kGrant);
  EXPECT_GT(shown, 0u);
}

}  // namespace
}  // namespace walduct::metrics
