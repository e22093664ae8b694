#include "admin/reasons/reasons.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "admin/reasons/alerts.h"
#include "base/error.h"
#include "engine/errors/named_hint.h"
#include "metrics/capture_board.h"
#include "postgres/errors/sqlstate.h"

namespace walduct::admin {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string Sources() {
  std::string all;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(WALDUCT_SOURCE_DIR "/src")) {
    const std::string path = entry.path().string();
    if (entry.path().extension() == ".cc" && !absl::StrContains(path, "/admin/reasons/"))
      all += ReadFile(path);
  }
  return all;
}

// Where errors are made: Error(code, "reason", …), the tables of PostgreSQL's and Kafka's, and what
// calls Error with a code of its own.
std::set<std::string> ReasonsOf(const std::string& sources) {
  static const std::regex kMade(
      R"re((?:Error\(\s*|[{,]\s*)(?:absl::|Code::|StatusCode::)*(?:StatusCode::)?k(?:Aborted|AlreadyExists|Cancelled|DataLoss|DeadlineExceeded|FailedPrecondition|Internal|InvalidArgument|NotFound|PermissionDenied|ResourceExhausted|Unauthenticated|Unavailable|Unimplemented),\s*"([a-z0-9_]+)")re");
  std::set<std::string> found;
  static const std::regex kWrapped(R"re(\b(?:Refusal|Unavailable)\(\s*"([a-z0-9]+_[a-z0-9_]+)")re");
  static const std::regex kOfStatus(R"re(\bError\(\s*[\w.]+\.code\(\),\s*"([a-z0-9_]+)")re");
  for (const std::regex& made : {kMade, kWrapped, kOfStatus}) {
    for (std::sregex_iterator at(sources.begin(), sources.end(), made), end; at != end; ++at)
      found.insert((*at)[1]);
  }
  return found;
}

// What a connector is called, and what it uses, is known wherever it has an error.
TEST(Reasons, HintsHaveTheNames) {
  engine::UseRemedies(&RemedyOf);
  const engine::ConnectorNames names{.connector = "shop",
                                     .host = "db",
                                     .port = "5432",
                                     .database = "shopdb",
                                     .role = "cdc",
                                     .slot = "shop_slot",
                                     .publication = "shop_pub",
                                     .prefix = "shop",
                                     .called = {.who = "shop"}};
  static const std::regex kGap(
      R"re(\('NAME'\)|ROLE (NAME|…)|PUBLICATION (…|\.\.\.)|DATABASE (NAME|…|USER)|\(PID\)|-h HOST|walduct [a-z ]+ NAME|getent hosts NAME|TO (NAME|ROLE|…)\b)re");
  size_t asked = 0;
  for (const ReasonGroup& group : ReasonGroups()) {
    for (const Reason& reason : group.reasons) {
      // Said of a slot of somebody else's, by its name.
      if (reason.name == "other_slot_inactive") continue;
      for (const bool served : {false, true}) {
        engine::ConnectorNames of = names;
        of.served = served;
        const std::string hint =
            engine::NamedHint(reason.name, "held up by pid 4711 (application \"psql\")", "", of);
        EXPECT_FALSE(hint.empty()) << reason.name;
        EXPECT_FALSE(std::regex_search(hint, kGap)) << reason.name << ": " << hint;
        ++asked;
      }
    }
  }
  EXPECT_GT(asked, 400u);
  EXPECT_THAT(engine::NamedHint("role_may_not_replicate", "", "", names),
              HasSubstr("ALTER ROLE \"cdc\" REPLICATION"));
  EXPECT_THAT(engine::NamedHint("long_transaction", "process 4711 waits", "", names),
              HasSubstr("pg_terminate_backend(4711)"));
  EXPECT_THAT(engine::NamedHint("no_such_reason", "", "", names), IsEmpty());
}

// Each has a position of its own.
TEST(Reasons, OfSeveralSlotsOneHasItsPositionSet) {
  engine::ConnectorNames names;
  names.connector = "shop";
  names.called = {.who = "shop", .where = "http://w"};
  const auto hint = [&] {
    return engine::NamedHint("position_skipped", "", "walduct offsets set NAME 0/AB goes on",
                             names);
  };
  EXPECT_EQ(hint(), "walduct offsets set shop 0/AB --url http://w goes on");
  names.called.signals = names::Called::Signals::kNever;
  EXPECT_EQ(hint(), "walduct offsets set shop 0/AB --slot NUMBER --url http://w goes on");
  names.slot_number = 2;
  EXPECT_EQ(hint(), "walduct offsets set shop 0/AB --slot 2 --url http://w goes on");
}

TEST(Reasons, WhoHoldsALockIsSaidWithItsTimeout) {
  const std::string lock = "a lock on table public.t, held up by pid 4711 (application \"psql\")";
  const absl::Status timeout =
      Error(absl::StatusCode::kDeadlineExceeded, "lock_timeout", "canceling statement", "see");
  const absl::Duration age = absl::Milliseconds(8700);
  const absl::Status known = engine::WithLock(timeout, lock, age);
  EXPECT_EQ(ErrorReason(known), "lock_timeout");
  EXPECT_EQ(known.code(), timeout.code());
  EXPECT_THAT(std::string(known.message()),
              HasSubstr("canceling statement; seen from beside 8s ago: waiting for "));
  EXPECT_THAT(std::string(known.message()), HasSubstr(lock));
  EXPECT_THAT(ErrorHint(known), HasSubstr("pg_terminate_backend(4711)"));
  EXPECT_EQ(engine::WithLock(known, lock, age), known);
  EXPECT_EQ(engine::WithLock(timeout, "", age), timeout);
  const absl::Status other =
      Error(absl::StatusCode::kUnavailable, "server_unreachable", "away", "");
  EXPECT_EQ(engine::WithLock(other, lock, age), other);
}

TEST(Reasons, APositionToGoOnFromIsSetByTheConnectorsName) {
  engine::ConnectorNames names;
  names.served = true;
  names.called = {.who = "shop", .where = "http://h:8083"};
  const std::string hint = "or walduct offsets set NAME 0/16B3748 goes on there";
  EXPECT_EQ(engine::NamedHint("offset_missing", "", hint, names),
            "or walduct offsets set shop 0/16B3748 --url http://h:8083 goes on there");
  EXPECT_EQ(engine::NamedHint("position_skipped", "",
                              "walduct offsets set NAME 0/1 --accept-loss goes on, or walduct "
                              "offsets import NAME FILE",
                              names),
            "walduct offsets set shop 0/1 --accept-loss --url http://h:8083 goes on, or walduct "
            "offsets import shop FILE --url http://h:8083");
  names.served = false;
  names.called = {.who = "-f a -w b"};
  EXPECT_EQ(engine::NamedHint("offset_missing", "", hint, names),
            "or walduct offsets set -f a -w b 0/16B3748 goes on there");
}

// Whoever types the first of several is not to be told of the next one only then.
TEST(Reasons, WhatIsDeniedIsGrantedAtOnce) {
  engine::ConnectorNames names;
  names.role = "cdc";
  const auto hint = [&names](const std::string& message,
                             const std::string& before = "give the role the right") {
    return engine::NamedHint("permission_denied", message, before, names);
  };
  EXPECT_THAT(hint("heartbeat.action.query: permission denied for schema ops"),
              AllOf(HasSubstr("GRANT USAGE ON SCHEMA \"ops\" TO \"cdc\"; "),
                    HasSubstr("GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA \"ops\" TO "
                              "\"cdc\"")));
  EXPECT_THAT(hint("permission denied for table My Table: detail"),
              HasSubstr("GRANT SELECT, INSERT, UPDATE ON \u2026.\"My Table\" TO \"cdc\"; \u2026 is "
                        "its schema; or less"));
  EXPECT_EQ(hint("permission denied for table My Table",
                 "give the role the right SELECT, UPDATE on table \"s\".\"My Table\""),
            "GRANT SELECT, UPDATE ON \"s\".\"My Table\" TO \"cdc\"; or less, where the statement "
            "does less");
  EXPECT_EQ(hint("permission denied for view v", "give the role the right on table \"s\".\"v\""),
            "GRANT SELECT, INSERT, UPDATE ON \"s\".\"v\" TO \"cdc\"; or less, where the statement "
            "does less");
  EXPECT_EQ(hint("permission denied for sequence s"),
            "GRANT USAGE ON SEQUENCE \u2026.\"s\" TO \"cdc\"; \u2026 is its schema");
  EXPECT_EQ(
      hint("permission denied for sequence s", "give the role the right on sequence \"o\".\"s\""),
      "GRANT USAGE ON SEQUENCE \"o\".\"s\" TO \"cdc\"");
  // Whoever reads needs no more.
  const std::string read = ErrorHint(
      postgres::OfReading(postgres::StatusFromSqlState("42501", "permission denied for table t")));
  EXPECT_EQ(hint("permission denied for table t", read),
            "GRANT SELECT ON \u2026.\"t\" TO \"cdc\"; \u2026 is its schema");
  EXPECT_THAT(hint("permission denied for schema s", read),
              HasSubstr("; GRANT SELECT ON ALL TABLES IN SCHEMA \"s\""));
  // In another language, or of something else.
  EXPECT_EQ(hint("keine Berechtigung für Tabelle t"), "give the role the right");
}

TEST(Reasons, WhatStartsAConnectorGoesByItsState) {
  engine::ConnectorNames names;
  names.called = {.who = "shop"};
  const std::string hint = "start the connector; or restart the connector";
  EXPECT_EQ(engine::NamedHint("slot_inactive", "", hint, names), hint);
  names.served = true;
  EXPECT_EQ(engine::NamedHint("slot_inactive", "", hint, names),
            "walduct restart shop; or walduct restart shop");
  EXPECT_EQ(engine::NamedHint("x", "", "CREATE PUBLICATION p; then start again", names),
            "CREATE PUBLICATION p; then walduct restart shop");
  names.called.rests = true;
  EXPECT_EQ(engine::NamedHint("slot_inactive", "", hint, names),
            "walduct resume shop; or walduct resume shop");
}

// A worker tries nothing again of what failed for good: not when what it lacks is there.
TEST(Reasons, WhatFailedForGoodUnderAWorkerIsBegunAgain) {
  engine::ConnectorNames names;
  names.called = {.who = "shop"};
  const auto hint = [&names](const std::string& before) {
    return ErrorHint(engine::AndRestart(
        Error(absl::StatusCode::kPermissionDenied, "may_not_connect", "it may not", before),
        names));
  };
  EXPECT_EQ(hint("GRANT it"), "GRANT it");
  names.served = true;
  EXPECT_EQ(hint("GRANT it"), "GRANT it; then walduct restart shop");
  EXPECT_EQ(hint("GRANT it;"), "GRANT it; then walduct restart shop");
  for (const char* const begins : {"then walduct restart shop", "reset it, which starts it again",
                                   "told by curl -X PATCH http://h:1/connectors/shop/config"})
    EXPECT_EQ(hint(begins), begins);
}

// The commands of all hints, that name the connector.
std::vector<std::string> TypedCommands(const engine::ConnectorNames& names) {
  static const std::regex kTyped(
      R"re(walduct (?:status|restart|resume|stop|doctor|skip|signal [a-z-]+|offsets [a-z]+) shop\b[^;,:()]*)re");
  std::vector<std::string> commands;
  for (const ReasonGroup& group : ReasonGroups()) {
    for (const Reason& reason : group.reasons) {
      const std::string hint = engine::NamedHint(reason.name, "", "", names);
      for (std::sregex_iterator at(hint.begin(), hint.end(), kTyped), end; at != end; ++at)
        commands.push_back(at->str());
    }
  }
  return commands;
}

// A worker's connector has no file, and the worker need not be where commands look for one.
TEST(Reasons, HintsOfAWorkerCanBeTyped) {
  engine::UseRemedies(&RemedyOf);
  engine::ConnectorNames names;
  names.connector = "shop";
  names.role = "cdc";
  names.slot = "shop_slot";
  names.called = {.who = "shop", .where = "http://w:1", .name = "shop"};
  names.served = true;
  for (const bool rests : {false, true}) {
    names.called.rests = rests;
    const std::vector<std::string> typed = TypedCommands(names);
    EXPECT_GT(typed.size(), 15u);
    EXPECT_THAT(typed, testing::Each(HasSubstr("--url http")));
  }
  EXPECT_EQ(engine::NamedHint("mask_lost", "",
                              "add a.b.c to column.exclude.list, or walduct.mask.lost=warn "
                              "publishes it",
                              names),
            "add a.b.c to column.exclude.list, or walduct.mask.lost=warn publishes it; walduct "
            "serve is told so by: " +
                names::ExtendCommand(names.called, "column.exclude.list", "a.b.c") +
                ", or by: " + names::SetCommand(names.called, "walduct.mask.lost=warn"));
  // A start refuses the one without the other.
  EXPECT_THAT(engine::NamedHint("topic_missing", "", "", names),
              HasSubstr(R"({"topic.creation.default.partitions":"1",)"
                        R"("topic.creation.default.replication.factor":"-1"})"));
  EXPECT_EQ(engine::NamedHint("x", "", "create it, and restart the connector", names),
            "create it, and walduct resume shop --url http://w:1");
  names.called.rests = false;
  EXPECT_EQ(engine::NamedHint("x", "", "create it, and restart the connector", names),
            "create it, and walduct restart shop --url http://w:1");
  names.served = false;
  EXPECT_EQ(engine::NamedHint("x", "", "create it, and restart the connector", names),
            "create it, and restart the connector");
  names.called = {.who = "-f shop.json", .name = "shop"};
  EXPECT_EQ(engine::NamedHint("x", "", "create it, and restart the connector", names),
            "create it, and restart the process");
  names.called.unit = "shop";
  EXPECT_EQ(engine::NamedHint("x", "", "create it, and restart the connector", names),
            "create it, and sudo systemctl restart walduct@shop");
}

// Two words for what is one thing to whoever has to mend it.
TEST(Reasons, ALostSlotIsOneThing) {
  EXPECT_EQ(FindReason("slot_lost")->remedy, FindReason("slot_invalidated")->remedy);
  engine::ConnectorNames names;
  names.connector = "shop";
  names.called = {.who = "shop"};
  names.slot = "it's";
  const std::string lost = engine::NamedHint("slot_lost", "", "drop the slot", names);
  EXPECT_THAT(lost, HasSubstr(names::DeletesNote(names.called)));
  EXPECT_THAT(lost, HasSubstr("-o snapshot.mode=when_needed"));
  EXPECT_THAT(engine::NamedHint("slot_invalidated", "", "", names), HasSubstr(lost));
  names.served = true;
  EXPECT_THAT(engine::NamedHint("position_lost", "", "", names),
              HasSubstr("walduct offsets reset shop --accept-loss, which starts it again"));
  names.called.rests = true;
  EXPECT_THAT(engine::NamedHint("slot_lost", "", "", names),
              HasSubstr("walduct offsets reset shop --accept-loss, then walduct resume shop: "));
  names.called.rests = names.served = false;
  names.called = {.who = "-f a -w b"};
  EXPECT_THAT(engine::NamedHint("slot_lost", "", "", names),
              HasSubstr("(walduct run -f a -w b -o snapshot.mode=when_needed)"));
  names.called.unit = "shop";
  EXPECT_THAT(engine::NamedHint("slot_lost", "", "", names),
              testing::AllOf(HasSubstr("walduct offsets reset -f a -w b --accept-loss', then sudo "
                                       "systemctl reset-failed walduct@shop && sudo systemctl "
                                       "start walduct@shop"),
                             testing::Not(HasSubstr("-o snapshot.mode"))));
}

// Whoever has misspelt its name has lost nothing.
TEST(Reasons, ASlotThatIsNotThereMayHaveAnotherName) {
  engine::ConnectorNames names;
  names.connector = "shop";
  names.called = {.who = "shop", .where = "http://w:1", .name = "shop"};
  names.served = true;
  for (const char* const reason : {"position_lost", "slot_missing"})
    EXPECT_THAT(engine::NamedHint(reason, "", "", names), HasSubstr("Or correct slot.name"));
  EXPECT_THAT(engine::NamedHint("slot_lost", "", "", names),
              testing::Not(HasSubstr("correct slot.name")));
  const std::string other =
      engine::NamedHint("slot_other_name", "",
                        "set slot.name=debezium, if it is, and start the connector again", names);
  EXPECT_EQ(other,
            "set slot.name=debezium, if it is, and walduct restart shop --url http://w:1; walduct "
            "serve is told so by: " +
                names::SetCommand(names.called, "slot.name=debezium"));
}

// The slot comes after the publication, and the start after both.
TEST(Reasons, APublicationThatIsMissingIsMadeInOneOrder) {
  engine::ConnectorNames names;
  names.connector = "shop";
  names.publication = "p";
  names.called = {.who = "shop"};
  names.served = true;
  const std::string hint = engine::AndSlotAnew("CREATE PUBLICATION \"p\"; then start again");
  EXPECT_EQ(engine::NamedHint("publication_missing", "", hint, names),
            "CREATE PUBLICATION \"p\"; then walduct offsets reset shop --drop-slot --accept-loss, "
            "which starts it again: the slot has to be made after it");
  EXPECT_THAT(engine::NamedHint("publication_missing", "", "", names),
              HasSubstr("(walduct doctor shop has the statement)"));
  // No statement is to be had where there are no tables.
  const std::string wrong_tables = "check database.dbname, and table.include.list";
  EXPECT_EQ(engine::NamedHint("publication_missing", "", engine::AndSlotAnew(wrong_tables), names),
            wrong_tables);
}

TEST(Reasons, EachAlertIsExplained) {
  const std::string rules = ReadFile(WALDUCT_SOURCE_DIR "/deploy/prometheus/walduct.rules.yml");
  static const std::regex kAlert(R"re(alert: (\w+))re");
  size_t alerts = 0;
  for (std::sregex_iterator at(rules.begin(), rules.end(), kAlert), end; at != end; ++at, ++alerts)
    EXPECT_THAT(ExplainAlert((*at)[1].str()), HasSubstr((*at)[1].str() + "\n\n"));
  EXPECT_GT(alerts, 10u);
  EXPECT_EQ(ExplainAlert("Walduct"), "");
  EXPECT_EQ(ExplainAlert(""), "");
}

TEST(Reasons, EachThatIsMadeIsExplained) {
  const std::set<std::string> made = ReasonsOf(Sources());
  EXPECT_GT(made.size(), 180u);
  EXPECT_THAT(made, Contains("slot_in_use"));
  EXPECT_THAT(made, Contains("tls_untrusted"));
  EXPECT_THAT(made, Contains("record_too_large"));
  EXPECT_THAT(made, Contains("password_refused"));
  std::set<std::string> missing;
  for (const std::string& reason : made) {
    if (FindReason(reason) == nullptr) missing.insert(reason);
  }
  EXPECT_THAT(missing, IsEmpty()) << "add them to src/admin/reasons";
}

TEST(Reasons, NoneIsExplainedThatIsNotMade) {
  const std::string sources = Sources();
  std::set<std::string> names, gone;
  for (const ReasonGroup& group : ReasonGroups()) {
    for (const Reason& reason : group.reasons) {
      EXPECT_TRUE(names.insert(std::string(reason.name)).second) << reason.name << " twice";
      EXPECT_FALSE(reason.meaning.empty() || reason.remedy.empty()) << reason.name;
      EXPECT_FALSE(absl::StartsWith(reason.remedy, "Nothing.")) << reason.name << ": why?";
      if (!absl::StrContains(sources, "\"" + std::string(reason.name) + "\""))
        gone.insert(std::string(reason.name));
    }
  }
  EXPECT_THAT(gone, IsEmpty());
}

TEST(Reasons, TheirPageIsInTheDocuments) {
  EXPECT_EQ(ReadFile(WALDUCT_SOURCE_DIR "/docs/reasons.md"), ReasonsPage())
      << "walduct explain > docs/reasons.md";
}

TEST(Reasons, WhatIsAlmostOneIsFound) {
  EXPECT_THAT(SimilarReasons("slot_used"), Contains("slot_in_use"));
  EXPECT_THAT(SimilarReasons("too_large"), Contains("record_too_large"));
  EXPECT_THAT(SimilarReasons("zzz"), IsEmpty());
  // A slip comes before all that only begins alike.
  EXPECT_EQ(SimilarReasons("slot_lsot").front(), "slot_lost");
  EXPECT_EQ(SimilarReasons("recrod_too_large").front(), "record_too_large");
}

// Of captured tables: who is told that nothing is lost leaves it as it is.
TEST(Reasons, WhatIsNotCapturedIsLost) {
  const std::set<absl::string_view> kWhole = {
      "column_matches_nothing",   "partition_apart",          "publication_refuses_writes",
      "publication_sends_more",   "signal_table_missing",     "signal_table_not_published",
      "signal_table_partitioned", "table_in_two_publications"};
  for (const absl::string_view name : metrics::kCaptureReasons) {
    const Reason* const reason = FindReason(name);
    ASSERT_NE(reason, nullptr) << name;
    EXPECT_EQ(reason->loses, !kWhole.contains(name)) << name;
  }
  for (const absl::string_view name :
       {"captured_tables_changed", "outbox_not_published", "publication_outdated"})
    EXPECT_THAT(ExplainReason(*FindReason(name)), HasSubstr("may be gone for good")) << name;
}

TEST(Reasons, AnExplanationSaysWhetherDataIsLost) {
  EXPECT_THAT(ExplainReason(*FindReason("slot_exists")), HasSubstr("nothing is lost"));
  // Whoever reads the slot instead confirms what this connector has not read.
  EXPECT_THAT(ExplainReason(*FindReason("slot_in_use")), HasSubstr("may be gone for good"));
  EXPECT_THAT(ExplainReason(*FindReason("slot_in_use")), HasSubstr("position_skipped"));
  EXPECT_THAT(ExplainReason(*FindReason("slot_lost")), HasSubstr("may be gone for good"));
}

}  // namespace
}  // namespace walduct::admin
