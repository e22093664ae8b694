// Rows that cannot be published: which errors are theirs alone, and how long they wait.
#include "poll/session/failed_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace walduct::poll {
namespace {

absl::Status Bad(absl::StatusCode code, absl::string_view reason) {
  return Error(code, reason, "m", "h");
}

TEST(FailedRowsTest, WhatIsWrongWithAServerIsNoErrorOfARow) {
  EXPECT_TRUE(FailedRows::IsOfRow(Bad(absl::StatusCode::kInvalidArgument, "record_too_large")));
  EXPECT_TRUE(FailedRows::IsOfRow(Bad(absl::StatusCode::kInvalidArgument, "topic_name_invalid")));
  for (const absl::string_view reason :
       {"topic_missing", "topic_authorization_failed", "receiver_gone", "attempts_used_up",
        "registry_unreachable", "batch_refused"})
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
  FailedRows rows;
  OutboxTable table;
  table.name = "t";
  const FailedRow row{.key = {"1"}, .attempts = 0, .why = absl::OkStatus()};
  EXPECT_TRUE(rows.empty());
  rows.Wait(table, row, absl::Seconds(5));
  EXPECT_TRUE(rows.Waits(table, {"1"}, absl::Seconds(4)));
  EXPECT_FALSE(rows.Waits(table, {"2"}, absl::Seconds(4)));
  EXPECT_FALSE(rows.Waits(table, {"1"}, absl::Seconds(5)));
  EXPECT_TRUE(rows.empty()) << "it is forgotten";
}

}  // namespace
}  // namespace walduct::poll
