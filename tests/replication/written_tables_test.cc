#include "replication/capture/written_tables.h"

#include <gtest/gtest.h>

#include "absl/strings/string_view.h"
#include "tests/replication/capture_judge_fixture.h"

namespace walduct::replication {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

bool WritesHeartbeat(absl::string_view statement) {
  return Writes(statement, "public", "heartbeat");
}

TEST(WrittenTablesTest, AreThoseBehindTheWordsThatWrite) {
  for (const char* const statement :
       {"INSERT INTO heartbeat (id) VALUES (1)", "insert into public.heartbeat values(1)",
        "INSERT INTO \"public\".\"heartbeat\" (id, ts) VALUES (1, now()) ON CONFLICT (id) DO "
        "UPDATE "
        "SET ts = now()",
        "UPDATE Heartbeat SET ts = now()", "update only public . heartbeat set ts = now()",
        "DELETE FROM heartbeat", "-- into x\nMERGE INTO /* it */ heartbeat h USING (SELECT 1) s",
        "WITH a AS (SELECT 1) INSERT INTO heartbeat SELECT * FROM a"})
    EXPECT_TRUE(WritesHeartbeat(statement)) << statement;
}

TEST(WrittenTablesTest, AreNotThoseThatAreReadOrNamedOtherwise) {
  for (const char* const statement :
       {"", "INSERT INTO beats SELECT * FROM heartbeat", "INSERT INTO other.heartbeat VALUES (1)",
        "INSERT INTO \"Heartbeat\" VALUES (1)", "UPDATE beats SET heartbeat = 1",
        "SELECT pg_logical_emit_message(false, 'heartbeat', 'into heartbeat')",
        "INSERT INTO beats VALUES ('it''s into heartbeat')", "-- into heartbeat", "/* into",
        "INSERT INTO", "DELETE FROM only", "INSERT INTO public.", "INSERT INTO 'heartbeat"})
    EXPECT_FALSE(WritesHeartbeat(statement)) << statement;
}

// Debezium's usual one: it is in the publication so that the slot moves on.
TEST_F(CaptureJudgeTest, WhatTheHeartbeatWritesIsMeantToBeSent) {
  Table(1, "cust");
  Table(2, "heartbeat");
  Table(3, "signals");
  for (const uint32_t oid : {1u, 2u, 3u}) Publish(oid);
  Admit("cust");
  EXPECT_THAT(Judge(), ElementsAre("publication_sends_more public.heartbeat?",
                                   "publication_sends_more public.signals?"));
  wish_.heartbeat_query = "INSERT INTO heartbeat VALUES (1)";
  EXPECT_THAT(Judge(), ElementsAre("publication_sends_more public.signals?"));
  wish_.signal_table = "public.signals";
  EXPECT_THAT(Judge(), IsEmpty());
}

}  // namespace
}  // namespace walduct::replication
