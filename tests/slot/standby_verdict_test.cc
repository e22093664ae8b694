#include "slot/world/standby/standby_verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "postgres/options.h"
#include "slot/world/standby/snapshot_standby.h"

namespace walduct::slot {
namespace {

using testing::HasSubstr;

class StandbyVerdictTest : public testing::Test {
 protected:
  absl::StatusOr<std::optional<ReplayLag>> Judge() {
    return JudgeStandby(standby_, needs_, "b.example:5432");
  }
  std::string Reason() { return ErrorReason(Judge().status()); }

  StandbyFacts standby_{.in_recovery = true,
                        .replayed = Lsn(2000),
                        .system = {.system_identifier = "7000", .timeline = 2, .wal_end = Lsn()}};
  StandbyNeeds needs_{.primary = {.system_identifier = "7000", .timeline = 2, .wal_end = Lsn()},
                      .replayed = Lsn(2000)};
};

TEST_F(StandbyVerdictTest, OneThatHasReplayedWhatIsNeededIsRead) {
  ASSERT_TRUE(Judge().ok());
  EXPECT_FALSE(*Judge());
}

TEST_F(StandbyVerdictTest, OneThatIsBehindIsWaitedFor) {
  needs_.replayed = Lsn(2001);
  standby_.paused = true;
  ASSERT_TRUE(Judge().ok());
  ASSERT_TRUE(*Judge());
  EXPECT_EQ((*Judge())->needed, Lsn(2001));
  EXPECT_EQ(LagText(**Judge()),
            "the standby b.example:5432 to replay the WAL up to 0/7D1 (it is at 0/7D0, 1 B are "
            "left; its replay is paused: SELECT pg_wal_replay_resume())");
}

TEST_F(StandbyVerdictTest, OneThatIsBehindMayStillComeToTheTimeline) {
  needs_.replayed = Lsn(2001);
  standby_.system.timeline = 1;
  ASSERT_TRUE(Judge().ok());
  EXPECT_TRUE(*Judge());
}

TEST_F(StandbyVerdictTest, OneThatWentOnWithAnotherHistoryIsRefused) {
  standby_.system.timeline = 1;
  EXPECT_EQ(Reason(), "standby_diverged");
  standby_.system.timeline = 3;
  EXPECT_EQ(Reason(), "standby_diverged");
  needs_.replayed = Lsn(5000);
  EXPECT_EQ(Reason(), "standby_diverged");
}

TEST_F(StandbyVerdictTest, APrimaryIsRefusedWithThePropertyToChange) {
  standby_.in_recovery = false;
  const absl::Status refused = Judge().status();
  EXPECT_EQ(ErrorReason(refused), "standby_is_primary");
  EXPECT_TRUE(absl::IsFailedPrecondition(refused));
  EXPECT_THAT(std::string(refused.message()),
              HasSubstr("walduct.snapshot.standby.hostname: the server b.example:5432 is no"));
  EXPECT_THAT(ErrorHint(refused), HasSubstr("or remove it"));
}

TEST_F(StandbyVerdictTest, AnotherClusterIsRefusedWhateverItIs) {
  standby_.system.system_identifier = "7001";
  EXPECT_EQ(Reason(), "standby_of_another_cluster");
  standby_.in_recovery = false;
  EXPECT_EQ(Reason(), "standby_of_another_cluster");
}

TEST_F(StandbyVerdictTest, OneWithoutAPositionIsRefused) {
  standby_.replayed = Lsn();
  EXPECT_EQ(Reason(), "standby_position_unknown");
}

TEST(ExplainRead, ASessionThatEndedWithoutAWordMayHaveBeenInTheWay) {
  const absl::Status lost =
      Error(absl::StatusCode::kUnavailable, "connection_lost", "it is gone", "wait");
  EXPECT_EQ(ErrorReason(ExplainRead(lost)), "connection_lost");
  EXPECT_THAT(ErrorHint(ExplainRead(lost)), HasSubstr("hot_standby_feedback=on"));
  const absl::Status other = Error(absl::StatusCode::kUnavailable, "kafka_away", "away", "wait");
  EXPECT_EQ(ErrorHint(ExplainRead(other)), "wait");
}

TEST(StandbyDatabase, IsReachedAsTheServerButForItsAddress) {
  postgres::DatabaseOptions server;
  server.hostname = "a.example";
  server.port = "5433";
  server.target_session_attrs = "primary";
  server.user = "cdc";
  server.sslmode = "verify-full";
  const postgres::DatabaseOptions standby = StandbyDatabase(server, "b.example", "");
  EXPECT_EQ(standby.hostname, "b.example");
  EXPECT_EQ(standby.port, "5433");
  EXPECT_EQ(standby.target_session_attrs, "prefer-standby");
  EXPECT_EQ(standby.user, "cdc");
  EXPECT_EQ(standby.sslmode, "verify-full");
  EXPECT_EQ(StandbyDatabase(server, "b.example", "5434").port, "5434");
}

}  // namespace
}  // namespace walduct::slot
