#include "metrics/notification_board.h"

#include <gtest/gtest.h>

namespace walduct::metrics {
namespace {

NotificationBoard::Entry Told(const std::string& type, const std::string& id,
                              const std::string& aggregate = "Incremental Snapshot") {
  NotificationBoard::Entry entry;
  entry.type = type;
  entry.id = id;
  entry.aggregate = aggregate;
  return entry;
}

TEST(NotificationBoard, OfProgressInARowTheLastIsKept) {
  NotificationBoard board;
  board.Show(Told("STARTED", "1"));
  for (int i = 2; i < 1000; ++i) board.Show(Told("IN_PROGRESS", std::to_string(i)));
  board.Show(Told("IN_PROGRESS", "other", "Initial Snapshot"));
  board.Show(Told("COMPLETED", "last"));
  const auto entries = board.Read();
  ASSERT_EQ(entries.size(), 4u);
  EXPECT_EQ(entries[0].id, "1");
  EXPECT_EQ(entries[1].id, "999");
  EXPECT_EQ(entries[1].number, 999u);
  EXPECT_EQ(entries[2].id, "other");
  EXPECT_EQ(entries[3].type, "COMPLETED");
}

TEST(NotificationBoard, KeepsTheLastOnes) {
  NotificationBoard board;
  for (size_t i = 0; i < NotificationBoard::kKept + 5; ++i)
    board.Show(Told("STARTED", std::to_string(i)));
  const auto entries = board.Read();
  ASSERT_EQ(entries.size(), NotificationBoard::kKept);
  EXPECT_EQ(entries.front().id, "5");
  EXPECT_EQ(entries.front().number, 6u);
}

TEST(NotificationBoard, ADetailThatNamesThousandsIsCutBehindAName) {
  NotificationBoard board;
  NotificationBoard::Entry entry = Told("STARTED", "1");
  std::string names = "public.a";
  while (names.size() <= NotificationBoard::kLongest) names += ",public.\xC3\xA4";
  entry.details = {{"data_collections", names}, {"connector_name", "srv"}};
  board.Show(std::move(entry));
  const auto details = board.Read()[0].details;
  const std::string& cut = details[0].second;
  EXPECT_LE(cut.size(), NotificationBoard::kLongest + 4);
  EXPECT_GE(cut.size(), NotificationBoard::kLongest - 16);
  EXPECT_EQ(cut.substr(cut.size() - 13), "public.\xC3\xA4,\xE2\x80\xA6");
  EXPECT_EQ(names.substr(0, cut.size() - 3), cut.substr(0, cut.size() - 3));
  EXPECT_EQ(details[1].second, "srv");
}

TEST(NotificationBoard, ALongSentenceIsCutWhereItMustBe) {
  NotificationBoard board;
  NotificationBoard::Entry entry = Told("REFUSED", "1", "Signal");
  entry.details = {{"message", "begins, " + std::string(NotificationBoard::kLongest, 'a')}};
  board.Show(std::move(entry));
  EXPECT_EQ(board.Read()[0].details[0].second.size(), NotificationBoard::kLongest + 3);
}

}  // namespace
}  // namespace walduct::metrics
