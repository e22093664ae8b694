// Rows that cannot be published: which errors are theirs alone, and how long they wait.
#include "poll/session/failed_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "outbox/options.h"

namespace walduct::poll {
namespace {

absl::Status Bad(absl::StatusCode code, absl::string_view reason) {
  return Error(code, reason, "m", "h");
}

TEST(FailedRowsTest, WhatIsWrongWithAServerIsNoErrorOfARow) {
  EXPECT_TRUE(FailedRows::IsOfRow(Bad(absl::StatusCode::kInvalidArgument, "record_too_large")));
  EXPECT_TRUE(FailedRows::IsOfRow(Bad(absl::StatusCode::kInvalidArgument, "topic_name_invalid")));
  for (const absl::string_view reason :
       {"topic_missing", "topic_authorization_failed", "receiver_gone", "receiver_refuses",
        "rabbitmq_unroutable", "attempts_used_up", "registry_unreachable", "batch_refused"})
    EXPECT_FALSE(FailedRows::IsOfRow(Bad(absl::StatusCode::kInvalidArgument, reason))) << reason;
  EXPECT_FALSE(FailedRows::IsOfRow(Bad(absl::StatusCode::kUnavailable, "broker_unavailable")));
  EXPECT_FALSE(FailedRows::IsOfRow(Bad(absl::StatusCode::kPermissionDenied, "permission_denied")));
}

TEST(FailedRowsTest, EachPauseIsTwiceAsLongUpToFiveMinutes) {
  outbox::OutboxOptions options;
  options.first_backoff = absl::Seconds(1);
  EXPECT_EQ(FailedRows::Backoff(options, 0, 0), absl::Seconds(1));
  EXPECT_EQ(FailedRows::Backoff(options, 3, 0), absl::Seconds(8));
  EXPECT_EQ(FailedRows::Backoff(options, 3, 0.5), absl::Seconds(6)) << "less by chance";
  EXPECT_EQ(FailedRows::Backoff(options, 20, 0), absl::Minutes(5));
  EXPECT_EQ(FailedRows::Backoff(options, 1000000, 0), absl::Minutes(5));
}

TEST(FailedRowsTest, ARowOfATableThatCannotSayItWaitsInMemory) {
  using Keys = std::vector<std::vector<std::string>>;
  FailedRows rows;
  OutboxTable table, other;
  table.name = "t";
  table.key_names = {"id", "part"};
  other.name = "u";
  other.key_names = {"id"};
  EXPECT_TRUE(rows.empty());
  rows.Add(table, {.key = {"1", "a"}, .attempts = 0, .why = absl::OkStatus()}, absl::Seconds(5));
  EXPECT_EQ(rows.Waiting(table, absl::Seconds(4)), (Keys{{"1"}, {"a"}}));
  EXPECT_EQ(rows.Waiting(other, absl::Seconds(4)), Keys{});
  EXPECT_EQ(rows.Waiting(table, absl::Seconds(5)), Keys{});
  EXPECT_TRUE(rows.empty()) << "it is forgotten, though nobody has seen it again";
}

TEST(FailedRowsTest, ARowThatIsLockedIsPassedAndShortensNoOtherWait) {
  using Keys = std::vector<std::vector<std::string>>;
  FailedRows rows;
  OutboxTable table;
  table.name = "t";
  table.key_names = {"id"};
  rows.Pass(table, {}, absl::Seconds(5));
  EXPECT_TRUE(rows.empty());
  rows.Add(table, {.key = {"1"}, .attempts = 0, .why = absl::OkStatus()}, absl::Seconds(9));
  rows.Pass(table, {{"1"}, {"2"}}, absl::Seconds(5));
  EXPECT_EQ(rows.Waiting(table, absl::Seconds(4)).at(0).size(), 2u);
  EXPECT_EQ(rows.Waiting(table, absl::Seconds(5)), (Keys{{"1"}}));
}

}  // namespace
}  // namespace walduct::poll
