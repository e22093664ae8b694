// Whether a stored position is of the server as it is now.
#include "poll/position/server_now.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "poll/position/position_sql.h"

namespace walduct::poll {
namespace {

using testing::HasSubstr;

const ServerNow kNow{.snapshot = "740:750:740",
                     .timeline = 1,
                     .flushed = Lsn(900),
                     .written = Lsn(1000),
                     .system_identifier = "7"};

absl::Status Check(const TablePosition& position, Lsn stored_at = Lsn(900), uint32_t timeline = 1,
                   const std::string& system = "7") {
  offset::StoredOffset stored;
  stored.position.commit_end = stored_at;
  stored.timeline = timeline;
  stored.system_identifier = system;
  return CheckServer(stored, {{"t", position}}, kNow);
}

TEST(ServerNowTest, APositionThatTheServerHasPassedIsOfIt) {
  EXPECT_TRUE(Check({.seen = "740:750:"}).ok());
  EXPECT_TRUE(Check({.seen = "1:1:", .window = "740:750:", .last = "3"}).ok());
  EXPECT_TRUE(Check({.seen = "1:1:"}, Lsn(1000)).ok());
}

TEST(ServerNowTest, OneOfAnotherServerMayBeThatOfAnotherConnector) {
  const absl::Status other = Check({.seen = "1:1:"}, Lsn(900), 1, "8");
  EXPECT_EQ(ErrorReason(other), "outbox_position_lost");
  EXPECT_THAT(ErrorHint(other), testing::StartsWith("another connector of this name may use"));
  EXPECT_THAT(ErrorHint(Check({.seen = "1:1:"}, Lsn(900), 2)),
              testing::StartsWith("walduct offsets reset"));
}

TEST(ServerNowTest, OneThatItHasNotComeToIsLost) {
  EXPECT_EQ(ErrorReason(Check({.seen = "740:751:"})), "outbox_position_lost");
  const absl::Status window = Check({.seen = "1:1:", .window = "740:751:", .last = "3"});
  EXPECT_EQ(ErrorReason(window), "outbox_position_lost");
  EXPECT_THAT(window.message(), HasSubstr("transaction 751, the server is at 750"));
  const absl::Status behind = Check({.seen = "1:1:"}, Lsn(1001));
  EXPECT_EQ(ErrorReason(behind), "outbox_position_lost");
  EXPECT_THAT(behind.message(), HasSubstr("0/3E9"));
}

TEST(ServerNowTest, AnotherTimelineOrServerIsLost) {
  EXPECT_EQ(ErrorReason(Check({.seen = "1:1:"}, Lsn(1), 2)), "outbox_position_lost");
  EXPECT_EQ(ErrorReason(Check({.seen = "1:1:"}, Lsn(1), 1, "8")), "outbox_position_lost");
}

TEST(ServerNowTest, WhatIsFlushedIsStored) {
  offset::StoredOffset stored;
  kNow.Put(&stored);
  EXPECT_EQ(stored.position.commit_end, Lsn(900)) << "a crash takes what is written alone";
  EXPECT_EQ(stored.timeline, 1u);
}

TEST(PositionSqlTest, AWindowIsNeverCutInsideAnId) {
  OutboxTable table;
  table.name = "t";
  auto schema = std::make_shared<event::TableSchema>();
  table.schema = schema;
  table.columns = {{.name = "id", .type = "bigint"}, {.name = "xact", .type = "xid8"}};
  table.layout.order = "{id}";
  table.layout.xact = "{xact}";
  EXPECT_THAT(WindowSql(table, ""), HasSubstr("FETCH FIRST ($5::bigint) ROWS WITH TIES"));
}

}  // namespace
}  // namespace walduct::poll
