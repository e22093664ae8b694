#include "cli/status/status_screen.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/amount_text.h"
#include "base/json.h"
#include "cli/status/duration_text.h"
#include "cli/status/group_lines.h"
#include "cli/status/status_exit.h"

namespace walduct::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr absl::string_view kRunning = R"({"version":"1","now":"2026-01-01T00:10:00.000Z",
  "connectors":[{"name":"shop","state":"RUNNING","state_since":"2026-01-01T00:00:00.000Z",
  "activity":"streaming","activity_since":"2026-01-01T00:09:00.000Z","events":3000,"bytes":1048576,
  "acknowledged":2800,
  "records":3000,"in_flight_records":2,"in_flight_bytes":2048,"in_flight_limit_bytes":16777216,
  "lag_seconds":0.25,"lag_bytes":4096,"slot":{"wal_status":"reserved","retained_wal_bytes":1048576,
  "growth_bytes_per_second":1024,"safe_wal_bytes":2097152,"seconds_until_lost":2048,"age_seconds":3}
  }]})";

std::string Show(absl::string_view json, const ScreenOptions& options = {}) {
  absl::StatusOr<std::string> screen = StatusScreen(json, options);
  return screen.ok() ? *screen : std::string(screen.status().message());
}

TEST(StatusScreen, OfAConnectorThatStreams) {
  EXPECT_EQ(
      Show(kRunning),
      "shop  RUNNING for 10m 00s, streaming for 60 s\n"
      "  lag        0.2 s, 4.0 kB of WAL after the stored position\n"
      "  rows       3000 rows read in all\n"
      "  in flight  2 records, 2.0 kB of 16.0 MB\n"
      "  slot       reserved, 1.0 MB of WAL kept, grows by 1.0 kB/s, 2.0 MB until it is lost, "
      "lost in 34m 08s\n");
}

TEST(StatusScreen, OfWhatHarmsNoConnector) {
  std::string json(kRunning);
  json.insert(json.find("\"slot\""), R"("shared_prefix":{"message":"shared","hint":"rename"},)");
  json.insert(json.find("\"connectors\""), R"("notice":{"message":"no note","hint":"a folder"},)");
  EXPECT_THAT(Show(json), HasSubstr("  prefix     shared\n             -> rename\n"));
  json.insert(json.find("\"slot\""), R"("shared_slot":{"message":"of b","hint":"another"},)");
  EXPECT_THAT(Show(json), HasSubstr("  shared     of b\n             -> another\n"));
  EXPECT_THAT(Show(json), testing::EndsWith("  process    no note\n             -> a folder\n"));
}

TEST(StatusScreen, OfASnapshotThatLeftATableOut) {
  std::string json(kRunning);
  json.insert(json.find("\"slot\""), R"("last_snapshots":[
    {"at":"2026-01-01T00:09:55.000Z","what":"Incremental Snapshot","event":"COMPLETED",
     "left_out":"public.a"},
    {"at":"2026-01-01T00:09:55.000Z","what":"Incremental Snapshot","event":"FAILED",
     "scanned_collection":"public.a","reason":"no_right","message":"may not read","hint":"GRANT"}],)");
  EXPECT_THAT(Show(json), HasSubstr("snapshots  Incremental Snapshot COMPLETED 5.0 s ago, without "
                                    "public.a\n"));
  EXPECT_THAT(Show(json),
              HasSubstr("Incremental Snapshot FAILED 5.0 s ago, public.a, may not read\n"));
  EXPECT_THAT(Show(json), HasSubstr("-> GRANT\n"));
  json.replace(json.find("\"left_out\":\"public.a\""), 21, "\"rows_left_out\":\"2\"");
  EXPECT_THAT(Show(json),
              HasSubstr("Incremental Snapshot COMPLETED 5.0 s ago, rows left out: 2\n"));
}

TEST(StatusScreen, ASignalThatWasRefusedIsShownBehindSnapshots) {
  std::string json(kRunning);
  const std::string ended =
      R"({"at":"2026-01-01T00:09:55.000Z","what":"Incremental Snapshot","event":"COMPLETED"},)";
  json.insert(json.find("\"slot\""),
              absl::StrCat(R"("last_snapshots":[)", ended, ended, ended, ended,
                           R"({"at":"2026-01-01T00:09:50.000Z","what":"Signal","event":"REFUSED",
                           "message":"the type 'dance' is not known","hint":"use log"},
                           {"at":"2026-01-01T00:09:40.000Z","what":"Signal","event":"REFUSED",
                           "message":"an older one"}],)"));
  EXPECT_THAT(Show(json), HasSubstr("Signal REFUSED 10 s ago, the type 'dance' is not known\n"
                                    "             -> use log\n"));
  EXPECT_THAT(Show(json), Not(HasSubstr("an older one")));
}

// It takes nothing up: what grows is not its doing, and it waits for nobody.
TEST(StatusScreen, OfAConnectorThatHasFailed) {
  std::string failed(kRunning);
  failed.replace(failed.find("RUNNING"), 7, "FAILED");
  EXPECT_THAT(Show(failed), HasSubstr("itself: mend it, then start the process again\n"))
      << "by walduct run, which takes no commands";
  failed.insert(failed.find('{') + 1, R"("worker":{"state":"serving"},)");
  const std::string screen = Show(failed);
  EXPECT_THAT(screen, HasSubstr("stopped    by an error that it does not get over by itself: mend "
                                "it, then walduct restart shop\n"));
  EXPECT_THAT(Show(failed, {.connector = "", .url = "http://127.0.0.1:8099"}),
              HasSubstr("then walduct restart shop --url http://127.0.0.1:8099\n"));
  EXPECT_THAT(screen, Not(HasSubstr("max_slot_wal_keep_size"))) << "there is time";
  EXPECT_THAT(screen, HasSubstr("1.0 MB of WAL kept, 2.0 MB until it is lost, lost in 34m 08s"));
  EXPECT_THAT(screen, Not(HasSubstr("grows by")));
  EXPECT_THAT(screen, Not(HasSubstr("waiting")));
}

std::string OfWorker(absl::string_view worker, absl::string_view connectors = "") {
  return absl::StrCat(R"({"now":"2026-01-01T00:10:00.000Z","worker":{)", worker,
                      R"(},"connectors":[)", connectors, "]}");
}
constexpr absl::string_view kWaits = R"("group":"g","state":"waiting",
  "state_since":"2026-01-01T00:08:00.000Z","waiting_for":"kafka",
  "waiting_since":"2026-01-01T00:09:00.000Z","message":"for Kafka at k:9092","hint":"look")";
constexpr absl::string_view kServes =
    R"("group":"g","state":"serving","state_since":"2026-01-01T00:00:00.000Z")";

TEST(StatusScreen, WhatAWorkerWaitsFor) {
  EXPECT_EQ(Show(OfWorker(kWaits)),
            "worker  WAITING for 2m 00s\n"
            "  waiting    for Kafka at k:9092, for 60 s\n"
            "  hint       look\n");
  ScreenOptions one;
  one.connector = "shop";
  EXPECT_THAT(Show(OfWorker(kWaits), one), HasSubstr("WAITING"));
  EXPECT_EQ(Show(OfWorker(kServes)), "no connectors\n");
  const std::string warns = absl::StrCat(
      kServes, R"(,"warning":{"reason":"connectors_missing","message":"none","hint":"look"})");
  EXPECT_EQ(Show(OfWorker(warns)),
            "worker  none (connectors_missing)\n"
            "  hint       look\n"
            "no connectors\n");
  EXPECT_EQ(StatusExitOf(OfWorker(warns), ""), 0);
  EXPECT_THAT(Show(OfWorker(absl::StrCat(kServes, R"(,"waiting_for":"kafka")"),
                            R"({"name":"shop","state":"RUNNING"})")),
              testing::AllOf(testing::StartsWith("worker  SERVING"), HasSubstr("\nshop  RUNNING")));
}

TEST(StatusScreen, WhoRunsWhatInAGroup) {
  const std::string shares = R"(,"shares":{"epoch":3,"workers":[
    {"address":"a:1","connectors":2,"self":true,"leads":false,"member":true},
    {"address":"b:1","connectors":1,"self":false,"leads":true,"member":true,"names":["there"]},
    {"address":"c:1","connectors":1,"self":false,"leads":false,"member":false}],
    "unassigned":[{"name":"x","since":"2026-01-01T00:09:00.000Z","why":"it moves"}],
    "moves":[{"at":"2026-01-01T00:09:30.000Z","connector":"y","from":"c:1","to":"a:1",
              "why":"worker_gone"},
             {"at":"2026-01-01T00:00:00.000Z","connector":"z","from":"a:1","to":"b:1",
              "why":"evened_out"}]})";
  EXPECT_THAT(Show(OfWorker(absl::StrCat(kServes, shares), R"({"name":"shop","state":"RUNNING"})")),
              testing::StartsWith("group   g, 2 workers share its connectors\n"
                                  "  worker     a:1: 2 connectors, this one\n"
                                  "  worker     b:1: 1 connector (there), leads\n"
                                  "  worker     c:1: 1 connector, no member any more\n"
                                  "  nobody's   x for 60 s: it moves\n"
                                  "  moved      y from c:1 to a:1, 30 s ago: that worker was gone\n"
                                  "\nshop  RUNNING for ?\n"));
  const std::string none = OfWorker(absl::StrCat(kServes, shares));
  EXPECT_THAT(Show(none), HasSubstr("this worker has no connectors\n"));
  EXPECT_EQ(StatusExitOf(none, ""), 7) << "nobody runs x";
  EXPECT_EQ(StatusExitOf(none, "x"), 7);
  EXPECT_EQ(StatusExitOf(none, "y"), 0);
  ScreenOptions one;
  one.connector = "x";
  EXPECT_THAT(Show(none, one), HasSubstr("\nx  UNASSIGNED for 60 s: it moves\n"));
  const rapidjson::Document document = json::Parse(none);
  EXPECT_EQ(PlaceIn(document, "x"), Place::kNobodys);
  EXPECT_EQ(PlaceIn(document, "there"), Place::kElsewhere);
  EXPECT_EQ(PlaceIn(document, "shop"), Place::kUnknown);
}

TEST(StatusScreen, AShellIsToldWhetherTheWorkerWaits) {
  EXPECT_EQ(StatusExitOf(OfWorker(kServes), ""), 0);
  EXPECT_EQ(StatusExitOf(kRunning, ""), 0);
  EXPECT_EQ(StatusExitOf("no JSON", ""), 0);
  EXPECT_EQ(StatusExitOf(OfWorker(kWaits), ""), 8);
  EXPECT_EQ(StatusExitOf(OfWorker(R"("waiting_for":"group")"), ""), 8);
  EXPECT_EQ(StatusExitOf(OfWorker(R"("waiting_for":"seat")"), ""), 9);
}

TEST(StatusScreen, AShellIsToldOfASlotThatIsSoonLost) {
  const auto of = [](absl::string_view slot) {
    return StatusExitOf(absl::StrCat(R"({"connectors":[{"name":"shop","state":"PAUSED","health":)",
                                     R"("fine","slot":{"wal_status":"reserved",)", slot, "}}]}"),
                        "");
  };
  EXPECT_EQ(of(R"("seconds_until_lost":10)"), 7);
  EXPECT_EQ(of(R"("seconds_until_lost":86400)"), 0);
}

TEST(StatusScreen, AnOldTransactionIsNamed) {
  const auto of = [](int seconds) {
    return Show(absl::StrCat(R"({"connectors":[{"name":"shop","slot":{"wal_status":"reserved",
          "oldest_transaction":"pid 12","oldest_transaction_seconds":)",
                             seconds, "}}]}"));
  };
  EXPECT_THAT(of(61), HasSubstr("  held by    pid 12, open for 61 s\n"));
  EXPECT_THAT(of(59), Not(HasSubstr("held by")));
}

TEST(StatusScreen, RatesNeedALookBefore) {
  ScreenOptions options;
  options.before =
      R"({"connectors":[{"name":"shop","events":1000,"acknowledged":2000,"bytes":0}]})";
  options.between = absl::Seconds(2);
  EXPECT_THAT(Show(kRunning, options),
              HasSubstr("400 records/s acknowledged, 1000 rows/s read, 512 kB/s, "
                        "3000 rows read in all"));
}

TEST(StatusScreen, ASnapshotHasABarForEachTable) {
  const std::string screen = Show(R"({"now":"2026-01-01T00:00:10.000Z","connectors":[{"name":"s",
    "state":"RUNNING","state_since":"2026-01-01T00:00:00.000Z","activity":"snapshotting",
    "activity_since":"2026-01-01T00:00:00.000Z","snapshot":{"outcome":"running","seconds":10,
    "seconds_left":30,"at_least":true,"rows":150,"rows_per_second":15,"tables":[
    {"schema":"public","table":"a","rows":100,"estimated_rows":90,"state":"done"},
    {"schema":"public","table":"b","rows":50,"estimated_rows":100,"percent":50.04,
     "percent_by":"blocks","rows_per_second":10,"state":"reading"},
    {"schema":"public","table":"c","rows":0,"state":"waiting"}]}}]})");
  EXPECT_THAT(screen, HasSubstr("running, 150 rows in 10 s, 15 rows/s, at least 30 s left\n"));
  EXPECT_THAT(screen, HasSubstr("[####################] public.a  100\n"));
  EXPECT_THAT(
      screen,
      HasSubstr("[##########..........] public.b  50 of ~100, 50.0% by blocks, 10 rows/s\n"));
  EXPECT_THAT(screen, HasSubstr("[....................] public.c  0  waiting\n"));
}

TEST(StatusScreen, AnIncrementalSnapshotHasABarAndWhatHoldsIt) {
  const std::string screen = Show(R"({"now":"2026-01-01T00:00:10.000Z","connectors":[{"name":"s",
    "state":"RUNNING","state_since":"2026-01-01T00:00:00.000Z","activity":"streaming",
    "activity_since":"2026-01-01T00:00:00.000Z","incremental_snapshot":{"id":"a","schema":"public",
    "table":"big","chunks":3,"rows":300,"estimated_rows":600,"percent":50,"percent_by":"rows","seconds":10,"seconds_left":10,
    "held_by":"paused","held_seconds":7,"tables_waiting":2,"waiting":["public.b","public.c"]}}]})");
  EXPECT_THAT(
      screen,
      HasSubstr("snapshot   incremental, 300 rows in 3 chunks, 10 s, 10 s left, 2 more tables\n"));
  EXPECT_THAT(screen, HasSubstr("[##########..........] public.big  300 of ~600, 50.0% by rows\n"));
  EXPECT_THAT(screen, HasSubstr("held by    paused, for 7.0 s\n"));
}

constexpr absl::string_view kFailed = R"({"now":"2026-01-01T00:01:00.000Z","connectors":[{
  "name":"a\u001b[2J","state":"FAILED","state_since":"2026-01-01T00:00:00.000Z","activity":"none",
  "last_error":{"at":"2026-01-01T00:00:00.000Z","reason":"slot_lost","message":"gone\nx",
  "hint":"start anew"}}]})";

TEST(StatusScreen, TheLastErrorHasItsHint) {
  const std::string screen = Show(kFailed);
  EXPECT_THAT(screen, HasSubstr("FAILED for 60 s\n"));
  EXPECT_THAT(screen, HasSubstr("last error 60 s ago: gone\\nx (slot_lost)\n"));
  EXPECT_THAT(screen, HasSubstr("hint       start anew\n"));
}

TEST(StatusScreen, NothingFromOutsideSteersTheTerminal) {
  EXPECT_THAT(Show(kFailed), Not(HasSubstr("\x1b")));
  ScreenOptions options;
  options.colour = true;
  EXPECT_THAT(Show(kFailed, options), HasSubstr("\x1b[31mFAILED\x1b[0m"));
  EXPECT_THAT(Show(kFailed, options), Not(HasSubstr("\x1b[2J")));
}

TEST(StatusScreen, AStallSaysWhatIsWaitedFor) {
  const std::string screen = Show(R"({"now":"2026-01-01T00:01:00.000Z","connectors":[{"name":"a",
    "state":"RUNNING","state_since":"2026-01-01T00:00:00.000Z","activity":"streaming",
    "activity_since":"2026-01-01T00:00:00.000Z","loop_age_seconds":70,
    "stall":{"since":"2026-01-01T00:00:30.000Z","kind":"sink","waiting_for":"Kafka at x",
             "hint":"start it"}}]})");
  EXPECT_THAT(screen, HasSubstr("-> start it\n"));
  EXPECT_THAT(screen, HasSubstr("stalled    for 30 s, waiting for Kafka at x\n"));
  EXPECT_THAT(screen, HasSubstr("loop       has not turned for 70 s\n"));
}

TEST(StatusScreen, TablesThatAreNotCapturedAreNamedWithWhatToType) {
  const std::string screen = Show(R"({"now":"2026-01-01T00:01:00.000Z","connectors":[{"name":"a",
    "state":"RUNNING","state_since":"2026-01-01T00:00:00.000Z","activity":"streaming",
    "activity_since":"2026-01-01T00:00:00.000Z","capture":{"age_seconds":3,"problems":[
    {"severity":"warning","since":"2026-01-01T00:00:30.000Z","reason":"publication_lacks_tables",
     "message":"not sent","count":32,"tables":["public.a","public.b\u001b[2J"],"hint":"ALTER PUBLICATION p …"},
    {"severity":"notice","since":"2026-01-01T00:00:30.000Z","reason":"publication_sends_more",
     "message":"more","tables":["public.c"],"hint":"x"}]}}]})");
  EXPECT_THAT(screen, HasSubstr("tables     public.a, public.b"));
  EXPECT_THAT(screen, HasSubstr(" and 30 more: not sent, for 30 s (publication_lacks_tables)\n"));
  EXPECT_THAT(screen, HasSubstr("-> ALTER PUBLICATION p …\n"));
  EXPECT_THAT(screen, Not(HasSubstr("public.c")));
  EXPECT_THAT(screen, Not(HasSubstr("\x1b")));
}

TEST(StatusScreen, WhatFailsBesideTheStreamIsNamedWithWhatToType) {
  const std::string screen = Show(R"({"now":"2026-01-01T00:01:00.000Z","connectors":[{"name":"a",
    "state":"RUNNING","state_since":"2026-01-01T00:00:00.000Z","activity":"streaming",
    "activity_since":"2026-01-01T00:00:00.000Z","beside":[{"what":"heartbeat_action",
     "since":"2026-01-01T00:00:20.000Z","message":"no table \u001b[2J","hint":"CREATE TABLE …"},
     {"what":"incremental_snapshot","since":"2026-01-01T00:00:20.000Z","waits":true,
      "message":"waits for a lock","hint":"wait"}]}]})");
  EXPECT_THAT(screen, HasSubstr("beside     heartbeat_action has failed for 40 s: no table "));
  EXPECT_THAT(screen, HasSubstr("beside     incremental_snapshot waits for a lock, for 40 s\n"));
  EXPECT_THAT(screen, HasSubstr("-> CREATE TABLE …\n"));
  EXPECT_THAT(screen, Not(HasSubstr("\x1b")));
}

TEST(StatusScreen, WhatNobodyCanLookAtIsNotKnown) {
  const std::string screen = Show(R"({"now":"2026-01-01T00:01:00.000Z","connectors":[],
    "resting":[{"name":"a","state":"PAUSED","state_since":"2026-01-01T00:00:00.000Z",
    "health":"troubled","lag_bytes":0,"slot":{"wal_status":"reserved","age_seconds":13},
    "beside":[{"what":"slot_look","since":"2026-01-01T00:00:20.000Z",
     "message":"too many connections for role","hint":"ALTER ROLE r"},
     {"what":"catalog_look","since":"2026-01-01T00:00:20.000Z",
      "message":"too many connections for role","hint":"ALTER ROLE r"}]}]})");
  EXPECT_THAT(screen, HasSubstr("how much WAL after the stored position is not known (0 B when "
                                "the server was looked at last, 13 s ago)"));
  EXPECT_THAT(screen, HasSubstr("beside     slot_look has failed for 40 s: too many connections"));
  EXPECT_THAT(screen, HasSubstr("beside     catalog_look has failed for 40 s"));
  EXPECT_EQ(screen.find("-> ALTER ROLE r"), screen.rfind("-> ALTER ROLE r")) << "once";
}

TEST(StatusScreen, AnUnknownNameIsRefusedWithThoseThereAre) {
  ScreenOptions options;
  options.connector = "other";
  EXPECT_EQ(Show(kRunning, options), "no connector is named 'other'; there are: shop");
}

TEST(StatusScreen, WhatIsNoAnswerIsRefused) {
  for (const absl::string_view json : {"", "[]", "{}", "{\"connectors\":{}}", "<html>"}) {
    EXPECT_TRUE(absl::IsInternal(StatusScreen(json, {}).status())) << json;
  }
}

TEST(DurationText, IsShort) {
  EXPECT_EQ(DurationText(absl::Milliseconds(1500)), "1.5 s");
  EXPECT_EQ(DurationText(absl::Seconds(119)), "119 s");
  EXPECT_EQ(DurationText(absl::Minutes(61)), "61m 00s");
  EXPECT_EQ(DurationText(absl::Hours(25)), "25h 00m");
  EXPECT_EQ(DurationText(absl::Hours(49)), "2d 01h");
  EXPECT_EQ(DurationText(-absl::Seconds(1)), "0.0 s");
}

std::string Slot(absl::string_view slot) {
  return Show(absl::StrCat(R"({"connectors":[{"name":"shop","slot":{)", slot, "}}]}"));
}

TEST(StatusScreen, ASlotIsWhatIsKnownOfIt) {
  EXPECT_THAT(Slot(R"("wal_status":"unreserved","retained_wal_bytes":1024,"safe_wal_bytes":-1389328,
                      "growth_bytes_per_second":10,"seconds_until_lost":0,"age_seconds":3)"),
              AllOf(HasSubstr("unreserved, 1.0 kB of WAL kept, grows by 10 B/s, nothing left"),
                    HasSubstr("-> at once, while the server's disk has room: ALTER SYSTEM SET "
                              "max_slot_wal_keep_size = '-1'; SELECT pg_reload_conf()"),
                    Not(HasSubstr("-1389328"))));
  EXPECT_THAT(Slot(R"("wal_status":"unknown","last_wal_status":"reserved","age_seconds":95,
                      "retained_wal_bytes":1024,"growth_bytes_per_second":10)"),
              AllOf(HasSubstr("slot       unknown for 95 s (was reserved), 1.0 kB of WAL kept\n"),
                    Not(HasSubstr("grows"))));
  EXPECT_THAT(Slot(R"("wal_status":"lost","retained_wal_bytes":0,"age_seconds":3,"problem":{
                      "reason":"slot_lost","message":"it is gone","hint":"do that"})"),
              AllOf(HasSubstr("slot       lost\n"), HasSubstr("it is gone (slot_lost)"),
                    HasSubstr("-> do that")));
}

TEST(StatusScreen, AFailedConnectorWaitsForNothing) {
  const std::string screen = Show(R"({"worker":{"state":"serving"},
    "now":"2026-01-01T00:10:00.000Z","connectors":[{"name":"shop","state":"FAILED","activity":"none","waiting_for":"a command",
    "waiting_since":"2026-01-01T00:00:00.000Z"}]})");
  EXPECT_THAT(screen, AllOf(Not(HasSubstr("a command")), HasSubstr("walduct restart shop")));
}

// What was to be hidden is published; that of another list is only worth knowing.
TEST(StatusScreen, AnEntryThatHidesNothingHasALine) {
  const auto of = [](absl::string_view severity, absl::string_view subject) {
    return absl::StrCat(R"({"now":"2026-01-01T00:10:00.000Z","connectors":[{"name":"shop",)"
                        R"("state":"RUNNING","activity":"streaming","health":")",
                        severity == "warning" ? "troubled" : "fine",
                        R"(","capture":{"problems":[{"severity":")", severity,
                        R"(","count":1,)"
                        R"("reason":"column_matches_nothing","since":"2026-01-01T00:09:55.000Z",)"
                        R"("message":"no column","hint":"correct it","tables":[")",
                        subject, R"("]}]}}]})");
  };
  for (const char* const list :
       {"column.mask.hash.SHA-256.with.salt.x", "column.truncate.to.4.chars", "column.exclude.list",
        "column.include.list, column.exclude.list"}) {
    const std::string subject = absl::StrCat("a.b.naem (", list, ": did you mean a.b.name?)");
    EXPECT_THAT(Show(of("warning", subject)),
                HasSubstr(absl::StrCat("\n  columns    ", subject,
                                       ": no column, for 5.0 s (column_matches_nothing)\n"
                                       "             -> correct it\n")));
    EXPECT_EQ(StatusExitOf(of("warning", subject), ""), kStatusTroubled);
  }
  const std::string notice = of("notice", "a.b.naem (column.include.list)");
  EXPECT_THAT(Show(notice), Not(HasSubstr("naem")));
  EXPECT_EQ(StatusExitOf(notice, ""), kStatusFine);
}

TEST(StatusScreen, WhoHoldsAStartUpIsNamed) {
  const std::string json = R"json({"now":"2026-01-01T00:10:00.000Z","connectors":[{"name":"shop",
    "state":"RUNNING","activity":"preparing","waiting_for":"transactions that are older",
    "waiting_since":"2026-01-01T00:09:58.000Z","waiting_on":"pid 7 (database shop)",
    "waiting_hint":"SELECT pg_terminate_backend(7)"}]})json";
  EXPECT_THAT(Show(json),
              HasSubstr("for transactions that are older, for 2.0 s: pid 7 (database shop)\n"
                        "             -> SELECT pg_terminate_backend(7)\n"));
}

TEST(StatusScreen, APausedConnectorSaysWhatResumesIt) {
  const std::string paused = R"({"worker":{"state":"serving"},"now":"2026-01-01T00:10:00.000Z",
    "connectors":[{"name":"shop","state":"PAUSED","activity":"none","waiting_for":"a command",
    "waiting_since":"2026-01-01T00:09:58.000Z"}]})";
  EXPECT_THAT(Show(paused, {.connector = "", .url = "http://h:1"}),
              HasSubstr("for a command, for 2.0 s\n             -> walduct resume shop --url "
                        "http://h:1\n"));
  for (const char* const lost : {"lost", "missing"}) {
    const std::string gone = absl::StrCat(paused.substr(0, paused.size() - 3),
                                          R"(,"slot":{"wal_status":")", lost, R"("}}]})");
    EXPECT_THAT(Show(gone, {.connector = "", .url = "http://h:1"}), Not(HasSubstr("resume")));
  }
  const auto with = [&paused](absl::string_view more) {
    return Show(absl::StrCat(paused.substr(0, paused.size() - 3), ",", more, "}]}"));
  };
  const std::string moved = with(
      R"("slot":{"wal_status":"reserved","problem":{"reason":"position_skipped","message":"it was moved",)"
      R"("hint":"walduct offsets set shop 0/5"}})");
  EXPECT_THAT(moved, AllOf(HasSubstr("-> walduct offsets set shop 0/5"), Not(HasSubstr("resume"))));
  EXPECT_THAT(
      with(R"("lag_seconds":70,"slot":{"wal_status":"reserved","other_reader":"pid 1, a"})"),
      AllOf(HasSubstr("read by    another process (pid 1, a), which is to end first\n"),
            Not(HasSubstr("resume")), Not(HasSubstr("lag"))));
  EXPECT_THAT(with(R"("slot":{"other_reader":"p","gone_on":{"message":"another","hint":"h"}})"),
              AllOf(HasSubstr("read by    another\n             -> h\n"), Not(HasSubstr("which"))));
  EXPECT_THAT(with(R"("last_error":{"reason":"mask_lost","message":"m","hint":"add it"})"),
              AllOf(HasSubstr("add it"), Not(HasSubstr("resume"))));
  EXPECT_THAT(with(R"("last_error":{"reason":"broker_unavailable","message":"m","hint":"h"})"),
              HasSubstr("walduct resume shop"));
  EXPECT_THAT(with(R"("last_error":{"reason":"mask_lost","message":"m","solved_at":)"
                   R"("2026-01-01T00:09:59.000Z"})"),
              HasSubstr("walduct resume shop"));
  std::string of_run = paused;
  of_run.erase(1, of_run.find("\"now\"") - 1);
  EXPECT_THAT(Show(of_run), Not(HasSubstr("resume"))) << "which takes no commands";
}

TEST(StatusScreen, AnErrorThatIsBehindIsSolvedThenGone) {
  const auto at = [](absl::string_view now) {
    return Show(absl::StrCat(R"({"now":")", now, R"(","connectors":[{"name":"shop","last_error":{
      "at":"2026-01-01T00:00:00.000Z","solved_at":"2026-01-01T00:00:10.000Z","reason":"away",
      "message":"it was away","hint":"wait"}}]})"));
  };
  EXPECT_THAT(at("2026-01-01T00:00:48.000Z"),
              AllOf(HasSubstr("last error 48 s ago, solved 38 s ago: it was away (away)"),
                    Not(HasSubstr("wait\n"))));
  EXPECT_THAT(at("2026-01-01T00:20:00.000Z"), Not(HasSubstr("last error")));
}

TEST(StatusScreen, RowsOfAPolledOutboxAreItsLag) {
  const auto of = [](absl::string_view rows) {
    return Show(absl::StrCat(
        R"({"now":"2026-01-01T00:10:00.000Z","connectors":[{"name":"shop","state":"RUNNING",)",
        R"("state_since":"2026-01-01T00:00:00.000Z","outbox":{)", rows, "}}]}"));
  };
  EXPECT_THAT(of(R"("unpublished":0,"parked":0,"oldest_seconds":0,"age_seconds":9)"),
              AllOf(HasSubstr("  outbox     all rows are published\n"), Not(HasSubstr("parked")),
                    Not(HasSubstr("lag")), Not(HasSubstr("->"))));
  EXPECT_THAT(of(R"("unpublished":1,"parked":2,"oldest_seconds":61,"age_seconds":300,)"
                 R"("hint":"walduct outbox list shop")"),
              HasSubstr("  outbox     1 row is not published, the oldest for 61 s, as of 5m 00s "
                        "ago\n"
                        "             2 rows are parked: not published, and tried no more\n"
                        "             -> walduct outbox list shop\n"));
  EXPECT_THAT(
      of(R"("unpublished":0,"parked":0,"oldest_seconds":0,"age_seconds":9,"dead_rows":20000,)"
         R"("notify_queue":0.25,"dead_rows_kept_by":"session 7","dead_rows_kept_seconds":300,)"
         R"("dead_rows_hint":"end it")"),
      HasSubstr("  outbox     all rows are published\n"
                "             20000 rows are dead and walked over by each claim: session 7 "
                "has kept them for 5m 00s\n"
                "             -> end it\n"
                "             25 % of the server's queue of notifications are used: once "
                "full, every commit that notifies fails\n"));
  EXPECT_THAT(
      of(R"("unpublished":0,"parked":0,"oldest_seconds":0,"age_seconds":9,"dead_rows":20000,)"
         R"("notify_queue":0.09)"),
      AllOf(Not(HasSubstr("20000")), Not(HasSubstr("queue"))));
}

TEST(StatusScreen, ThoseThatRestComeLast) {
  const std::string screen = Show(R"({"now":"2026-01-01T00:10:00.000Z","connectors":[],"resting":[
    {"name":"old","state":"STOPPED","state_since":"2026-01-01T00:00:00.000Z","lag_seconds":70,
     "slot":{"wal_status":"reserved","retained_wal_bytes":1024,"age_seconds":1}}]})");
  EXPECT_EQ(screen,
            "old  STOPPED for 10m 00s\n"
            "  lag        70 s since the oldest change that is not acknowledged\n"
            "  slot       reserved, 1.0 kB of WAL kept\n");
}

TEST(BytesText, IsShort) {
  EXPECT_EQ(BytesText(0), "0 B");
  EXPECT_EQ(BytesText(1023), "1023 B");
  EXPECT_EQ(BytesText(1536), "1.5 kB");
  EXPECT_EQ(BytesText(5e15), "4.4 PB");
}

}  // namespace
}  // namespace walduct::cli
