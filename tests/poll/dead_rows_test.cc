// Who keeps dead rows of outbox tables, and since when, as far as anybody knows.
#include "poll/rows/dead_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "base/error.h"

namespace walduct::poll {
namespace {

using testing::AllOf;
using testing::HasSubstr;

DeadRows Kept(uint64_t rows, std::optional<absl::Duration> held,
              const std::string& by = "session 7") {
  return {.rows = rows, .holder = by, .release = "end it", .snapshot = by + " 740", .held = held};
}

TEST(DeadRowsTest, TheStatementNamesEachTable) {
  OutboxTable one, two;
  one.relation = Oid{16384};
  two.relation = Oid{16390};
  EXPECT_THAT(DeadRowsSql({one, two}),
              AllOf(HasSubstr("unnest('{16384,16390}'"), testing::Not(HasSubstr("{{"))));
}

TEST(DeadRowsTest, ManyThatSomebodyKeepsForLongAreWarnedOf) {
  const absl::Status kept = DeadRowsWarning(Kept(10000, absl::Minutes(2)));
  EXPECT_EQ(ErrorReason(kept), "outbox_dead_rows");
  EXPECT_THAT(std::string(kept.message()),
              AllOf(HasSubstr("10000 rows"), HasSubstr("session 7"), HasSubstr("for 120 s")));
  EXPECT_EQ(ErrorHint(kept), "end it");
  EXPECT_TRUE(DeadRowsWarning(Kept(9999, absl::Minutes(2))).ok()) << "a vacuum comes soon";
  EXPECT_TRUE(DeadRowsWarning(Kept(10000, absl::Seconds(59))).ok()) << "a transaction that runs";
  EXPECT_TRUE(DeadRowsWarning({.rows = 10000}).ok()) << "nobody keeps them";
}

TEST(DeadRowsTest, WhoMayNotKnowSinceWhenIsToldSo) {
  EXPECT_THAT(std::string(DeadRowsWarning(Kept(10000, std::nullopt)).message()),
              HasSubstr("pg_read_all_stats"));
}

TEST(DeadRowsTest, WithoutARightItIsHeldSinceItWasSeenFirst) {
  HeldSince since;
  EXPECT_EQ(since.Of(Kept(1, std::nullopt), absl::Seconds(100)), absl::ZeroDuration());
  EXPECT_EQ(since.Of(Kept(1, std::nullopt), absl::Seconds(160)), absl::Seconds(60));
  EXPECT_EQ(since.Of(Kept(1, absl::Seconds(500)), absl::Seconds(160)), absl::Seconds(500))
      << "the server says it";
  EXPECT_EQ(since.Of(Kept(1, std::nullopt, "session 8"), absl::Seconds(220)), absl::ZeroDuration())
      << "another one";
  EXPECT_EQ(since.Of({}, absl::Seconds(280)), absl::ZeroDuration()) << "nobody";
  EXPECT_EQ(since.Of(Kept(1, std::nullopt, "session 8"), absl::Seconds(340)), absl::ZeroDuration())
      << "it began anew";
}

}  // namespace
}  // namespace walduct::poll
