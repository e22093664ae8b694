#include "cli/doctor/doctor_script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace walduct::cli {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(DoctorScript, CommandsAreWhatAHintBeginsWith) {
  EXPECT_THAT(CommandsOf("ALTER SYSTEM SET wal_level = logical; then restart the server"),
              ElementsAre("ALTER SYSTEM SET wal_level = logical"));
  EXPECT_THAT(CommandsOf("ALTER ROLE \"r\" BYPASSRLS; or exclude these tables"),
              ElementsAre("ALTER ROLE \"r\" BYPASSRLS"));
  EXPECT_THAT(
      CommandsOf("GRANT USAGE ON SCHEMA \"s\" TO \"r\"; GRANT SELECT ON \"s\".\"t\" TO \"r\";"),
      ElementsAre("GRANT USAGE ON SCHEMA \"s\" TO \"r\"", "GRANT SELECT ON \"s\".\"t\" TO \"r\""));
  EXPECT_THAT(CommandsOf("have a superuser run: CREATE PUBLICATION p FOR TABLE t; and set x=y"),
              ElementsAre("CREATE PUBLICATION p FOR TABLE t"));
  EXPECT_THAT(CommandsOf("ALTER SYSTEM SET a = 1; SELECT pg_reload_conf()"),
              ElementsAre("ALTER SYSTEM SET a = 1", "SELECT pg_reload_conf()"));
  EXPECT_THAT(CommandsOf("kafka-topics.sh --create --topic t"),
              ElementsAre("kafka-topics.sh --create --topic t"));
}

TEST(DoctorScript, NeitherChoicesNorWhatDestroys) {
  EXPECT_THAT(CommandsOf("start its reader, or: SELECT pg_drop_replication_slot('s')"), IsEmpty());
  EXPECT_THAT(CommandsOf("watch the alert, or ALTER SYSTEM SET a = 1"), IsEmpty());
  EXPECT_THAT(CommandsOf("ALTER PUBLICATION p ADD TABLE \u2026"), IsEmpty());
  EXPECT_THAT(CommandsOf("add a primary key"), IsEmpty());
}

TEST(DoctorScript, WhatIsLeftToDoBehindTheCommandsIsSaid) {
  const std::string script = FixScript(
      {}, {{.reason = "one", .message = "m", .hint = "CREATE PUBLICATION p; then walduct x; y"}});
  EXPECT_THAT(script, EndsWith("psql -X -c 'CREATE PUBLICATION p'\n"
                               "# by hand, afterwards: then walduct x; y\n"));
}

TEST(DoctorScript, NamesAreQuotedForTheShell) {
  const std::string script = FixScript(
      {.connector = "a\nb", .host = "it's", .port = "5432", .database = "shop"},
      {{.reason = "one", .message = "line\nrm -rf", .hint = "GRANT SELECT ON \"o'r\" TO \"$x\""},
       {.severity = operate::Severity::kNotice,
        .reason = "seen",
        .message = "",
        .hint = "ALTER SYSTEM RESET a"},
       {.reason = "two", .message = "m", .hint = "think"}});
  EXPECT_THAT(script, HasSubstr("export PGHOST='it'\\''s' PGPORT='5432' PGDATABASE='shop'\n"));
  EXPECT_THAT(script, HasSubstr("psql -X -c 'GRANT SELECT ON \"o'\\''r\" TO \"$x\"'\n"));
  EXPECT_THAT(script, EndsWith("# error two: m\n# by hand: think\n"));
  EXPECT_THAT(script, Not(HasSubstr("\nrm")));
  EXPECT_THAT(script, HasSubstr("# by hand: ALTER SYSTEM RESET a\n"));
}

}  // namespace
}  // namespace walduct::cli
