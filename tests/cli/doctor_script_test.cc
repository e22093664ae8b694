#include "cli/doctor/doctor_script.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace walduct::cli {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string ScriptOf(const std::vector<std::string>& hints) {
  std::vector<operate::Finding> findings;
  for (const std::string& hint : hints)
    findings.push_back({.reason = "r", .message = "m", .hint = hint});
  DoneCommands done;
  return FixScript({}, findings, &done);
}

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

TEST(DoctorScript, WordsAboutAStatementAreNoneOfIt) {
  for (const char* const hint :
       {"GRANT SELECT ON \"t\" TO \"r\", or less where the statement does less",
        "ALTER PUBLICATION \"p\" DROP TABLES IN SCHEMA s, or set walduct.slots=1",
        "ALTER PUBLICATION \"p\" SET (publish = 'insert'), or skipped.operations where it is meant",
        "ALTER TABLE t REPLICA IDENTITY DEFAULT, with a primary key of other columns, or else",
        "CREATE TABLE a (LIKE b), and GRANT INSERT ON it TO r",
        "ALTER TABLE t ADD COLUMN x int (it does not rewrite the table)",
        "where it is one: ALTER ROLE r SET default_transaction_read_only = off is for this role"})
    EXPECT_THAT(CommandsOf(hint), IsEmpty()) << hint;
  EXPECT_THAT(CommandsOf("ALTER TABLE \"a, or b\" SET LOGGED; then go on"),
              ElementsAre("ALTER TABLE \"a, or b\" SET LOGGED"));
  EXPECT_THAT(CommandsOf("ALTER SYSTEM SET a = 'b, then ''c'', or d'; x"),
              ElementsAre("ALTER SYSTEM SET a = 'b, then ''c'', or d'"));
  EXPECT_THAT(
      CommandsOf("GRANT SELECT, INSERT ON \"s\".\"t\" TO \"r\"; or less, where less is done"),
      ElementsAre("GRANT SELECT, INSERT ON \"s\".\"t\" TO \"r\""));
  EXPECT_THAT(ScriptOf({"GRANT SELECT ON \u2026.\"t\" TO \"r\""}), Not(HasSubstr("psql -X")));
}

TEST(DoctorScript, WhatIsLeftToDoBehindTheCommandsIsSaid) {
  DoneCommands done;
  const std::string script = FixScript(
      {}, {{.reason = "one", .message = "m", .hint = "CREATE PUBLICATION p; then walduct x; y"}},
      &done);
  EXPECT_THAT(script, EndsWith("psql -X -c 'CREATE PUBLICATION p'\n"
                               "# by hand, afterwards: then walduct x; y\n"));
}

TEST(DoctorScript, WhatTwoFindingsAskForIsDoneOnce) {
  EXPECT_THAT(
      ScriptOf(
          {"ALTER PUBLICATION p ADD TABLE public.invoices",
           "have a superuser run: ALTER PUBLICATION \"p\" ADD TABLE \"public\".\"invoices\"; x"}),
      EndsWith("psql -X -c 'ALTER PUBLICATION p ADD TABLE public.invoices'\n\n# error r: m\n"
               "# done above: ALTER PUBLICATION \"p\" ADD TABLE \"public\".\"invoices\"\n"
               "# by hand, afterwards: x\n"));
  EXPECT_THAT(ScriptOf({"ALTER PUBLICATION p ADD TABLE public.a",
                        "ALTER PUBLICATION p ADD TABLE public.\"b, c\" (id, v), public.a"}),
              EndsWith("psql -X -c 'ALTER PUBLICATION p ADD TABLE public.\"b, c\" (id, v)'\n"));
  EXPECT_THAT(ScriptOf({"ALTER PUBLICATION p ADD TABLE public.a",
                        "ALTER PUBLICATION q ADD TABLE public.a"}),
              EndsWith("psql -X -c 'ALTER PUBLICATION q ADD TABLE public.a'\n"));
  // Each reload is for what stands above it.
  EXPECT_THAT(ScriptOf({"ALTER SYSTEM SET a = 1; SELECT pg_reload_conf()",
                        "ALTER SYSTEM SET b = 1; SELECT pg_reload_conf()"}),
              EndsWith("psql -X -c 'ALTER SYSTEM SET b = 1'\npsql -X -c 'SELECT "
                       "pg_reload_conf()'\n"));
}

// Two connectors by one publication; another server is another matter.
TEST(DoctorScript, WhatAnotherScriptHasDoneIsNotDoneAgain) {
  const std::vector<operate::Finding> findings = {
      {.reason = "r", .message = "m", .hint = "ALTER PUBLICATION p ADD TABLE public.a"}};
  DoneCommands done;
  const auto script = [&](const std::string& connector, const std::string& host) {
    return FixScript({.connector = connector, .host = host, .port = "1", .database = "d"}, findings,
                     &done);
  };
  EXPECT_THAT(script("one", "h"), HasSubstr("psql "));
  EXPECT_THAT(script("two", "h"),
              AllOf(Not(HasSubstr("psql ")), HasSubstr("# done above: ALTER PUBLICATION p")));
  EXPECT_THAT(script("three", "i"), HasSubstr("psql "));
}

TEST(DoctorScript, NamesAreQuotedForTheShell) {
  DoneCommands done;
  const std::string script = FixScript(
      {.connector = "a\nb", .host = "it's", .port = "5432", .database = "shop"},
      {{.reason = "one", .message = "line\nrm -rf", .hint = "GRANT SELECT ON \"o'r\" TO \"$x\""},
       {.severity = operate::Severity::kNotice,
        .reason = "seen",
        .message = "",
        .hint = "ALTER SYSTEM RESET a"},
       {.reason = "two", .message = "m", .hint = "think"}},
      &done);
  EXPECT_THAT(script, HasSubstr("export PGHOST='it'\\''s' PGPORT='5432' PGDATABASE='shop'\n"));
  EXPECT_THAT(script, HasSubstr("psql -X -c 'GRANT SELECT ON \"o'\\''r\" TO \"$x\"'\n"));
  EXPECT_THAT(script, EndsWith("# error two: m\n# by hand: think\n"));
  EXPECT_THAT(script, Not(HasSubstr("\nrm")));
  EXPECT_THAT(script, HasSubstr("# by hand: ALTER SYSTEM RESET a\n"));
}

}  // namespace
}  // namespace walduct::cli
