#include "engine/errors/named_hint.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/error.h"
#include "base/shell_word.h"

namespace walduct::engine {
namespace {

std::atomic<RemedyOf> remedies{nullptr};

// Without a backup and an archive only a new snapshot helps.
constexpr std::array<absl::string_view, 5> kReadAnew = {"position_lost", "slot_invalidated",
                                                        "slot_lost", "slot_missing", "wal_removed"};

std::string Literal(absl::string_view text) {
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "''"}}), "'");
}

std::string Identifier(absl::string_view name) {
  return absl::StrCat("\"", absl::StrReplaceAll(name, {{"\"", "\"\""}}), "\"");
}

bool ByFiles(const ConnectorNames& names) { return names.called.who.starts_with("-f "); }

// systemd refuses to start what has failed often.
std::string StartUnit(const ConnectorNames& names) {
  const std::string unit = ShellWord("walduct@" + names.called.unit);
  return absl::StrCat("sudo systemctl reset-failed ", unit, " && sudo systemctl start ", unit);
}

std::string Reset(const ConnectorNames& names, absl::string_view flags) {
  if (!names.served && !ByFiles(names)) {
    return absl::StrCat("walduct offsets reset ", flags, ", with the -f and -w of ",
                        names.connector, ", then start it");
  }
  const std::string reset = names::Command(names.called, "offsets reset", flags);
  if (names.called.rests)
    return absl::StrCat(reset, ", then ", names::Command(names.called, "resume"));
  if (names.served) return absl::StrCat(reset, ", which starts it again");
  return absl::StrCat(reset, ", then ", names.called.unit.empty() ? "start it" : StartUnit(names));
}

std::string ReadAnew(absl::string_view reason, const ConnectorNames& names) {
  const std::string what = absl::StrCat(
      names.served || !names.called.unit.empty()
          ? Reset(names, "--accept-loss")
          : absl::StrCat(
                "start ", names.connector, " once with -o snapshot.mode=when_needed",
                ByFiles(names)
                    ? absl::StrCat(
                          " (", names::RunCommand(names.called, "snapshot.mode=when_needed"), ")")
                    : ""),
      ": it makes the replication slot ", Identifier(names.slot), " anew and reads all tables; ",
      names::DeletesNote(names.called),
      ". Look before you type it: a base backup and the WAL archive have it all (PostgreSQL 16 and "
      "later), and walduct recover run streams it: docs/recover.md");
  // Where another one may be meant that is found, it is named (slot_other_name).
  if (reason == "position_lost" || reason == "slot_missing")
    return absl::StrCat(what, ". Or correct slot.name, if that is not the slot that was read");
  const bool by_size = reason == "slot_lost" || reason == "slot_invalidated";
  return by_size ? absl::StrCat(what,
                                ". So that it does not happen again: ALTER SYSTEM SET "
                                "max_slot_wal_keep_size = '50GB'; SELECT pg_reload_conf()")
                 : what;
}

// Of an error that names what was denied.
constexpr absl::string_view kGiveRight = "give the role the right";
// Of a hint, in the place of Reset.
constexpr absl::string_view kSlotAnew = "; and the slot is to be made anew";
// Properties that hints give a value to.
constexpr std::array<absl::string_view, 9> kSettings = {
    "walduct.",         "slot.name=",    "publication.",       "publish.via.",   "snapshot.mode=",
    "offset.mismatch.", "exactly.once.", "producer.override.", "topic.creation."};
// In a hint about a publication that there are no tables for: it is not what is to be made.
constexpr absl::string_view kNothingCaptured = "database.dbname";
// In a hint for a first start, and wrong before the slot is made anew.
constexpr absl::string_view kStartAgain = "; then start again";

std::string PublicationAnew(const ConnectorNames& names) {
  return absl::StrCat(
      names.makes_publication
          ? ""
          : absl::StrCat("make the publication ", Identifier(names.publication), " (",
                         names::Command(names.called, "doctor"), " has the statement), then "),
      Reset(names, "--drop-slot --accept-loss"),
      ": a publication serves what was written after it was made, so that the slot is made after "
      "it, and the tables are read anew");
}

// "held up by pid 22446", "process 22446".
std::string ProcessIn(absl::string_view message) {
  for (const absl::string_view word : {"pid ", "PID ", "process "}) {
    for (size_t at = message.find(word); at != absl::string_view::npos;
         at = message.find(word, at + 1)) {
      const absl::string_view rest = message.substr(at + word.size());
      const auto end = std::find_if_not(rest.begin(), rest.end(), [](char c) {
        return absl::ascii_isdigit(static_cast<unsigned char>(c));
      });
      if (end != rest.begin()) return std::string(rest.begin(), end);
    }
  }
  return "";
}

// In front of --table.
std::string SignalStart(const ConnectorNames& names) {
  names::Called called = names.called;
  if (called.signals == names::Called::Signals::kNever)
    called.signals = names::Called::Signals::kAsCalled;
  return names::SnapshotCommand(called, {});
}

// "walduct.mask.lost=warn", the first of the hint that is no option of a command already, and what
// is to be set with it: "a=1 and b=2".
std::vector<std::string> SettingsIn(absl::string_view hint) {
  std::vector<std::string> settings;
  for (absl::string_view word : absl::StrSplit(hint, absl::ByAnyChar(" ,;()"))) {
    if (!settings.empty() && word == "and") continue;
    word = absl::StripSuffix(absl::StripSuffix(word, "."), ":");
    const auto is_ours = [word](absl::string_view prefix) {
      return absl::StartsWith(word, prefix);
    };
    const bool ours = std::any_of(kSettings.begin(), kSettings.end(), is_ours);
    if (ours && absl::StrContains(word, '=') && !absl::EndsWith(word, "=")) {
      settings.emplace_back(word);
    } else if (!settings.empty()) {
      break;
    }
  }
  return settings;
}

// What a worker is told, where a hint speaks of properties: it has no file that could be changed.
std::string ToWorker(const std::string& hint, const ConnectorNames& names) {
  if (!names.served || names.called.where.empty() || absl::StrContains(hint, "curl -X "))
    return hint;
  std::vector<std::string> commands;
  const std::vector<std::string> words = absl::StrSplit(hint, ' ');
  if (words.size() > 3 && words[0] == "add" && words[2] == "to") {
    const std::string property(absl::StripSuffix(words[3], ","));
    if (absl::EndsWith(property, ".list") || property.starts_with("column."))
      commands.push_back(names::ExtendCommand(names.called, property, words[1]));
  }
  if (const std::vector<std::string> settings = SettingsIn(hint); !settings.empty())
    commands.push_back(names::SetCommand(names.called, settings));
  if (commands.empty()) return hint;
  return absl::StrCat(hint,
                      "; walduct serve is told so by: ", absl::StrJoin(commands, ", or by: "));
}

// "walduct offsets set NAME 0/16B3748", whatever the position is, or LSN; of several slots, which.
std::string WithPosition(std::string hint, const ConnectorNames& names) {
  const std::string set = "walduct offsets set NAME ";
  const size_t at = hint.find(set);
  if (at == std::string::npos) return hint;
  const size_t lsn = at + set.size();
  const size_t end = std::min(hint.find_first_not_of("0123456789ABCDEF/LSN", lsn), hint.size());
  if (end == lsn) return hint;
  const std::string flag = " --accept-loss";
  const size_t all = end + (hint.compare(end, flag.size(), flag) == 0 ? flag.size() : 0);
  std::string flags = hint.substr(lsn, all - lsn);
  if (names.slot_number != 0)
    absl::StrAppend(&flags, " --slot ", names.slot_number);
  else if (names.called.signals == names::Called::Signals::kNever)
    flags += " --slot NUMBER";
  return hint.replace(at, all - at, names::Command(names.called, "offsets set", flags));
}

// "permission denied for table beat", as the server says it in English, which names no schema. Who
// lacks a schema mostly lacks what is in it, too: the server would say so only after the first
// GRANT. hint: "give the role the right SELECT on …" of whoever knows which; else one of all.
// "… on table "ops"."beat"" of whoever knows that (postgres::NameDenied); else it is no whole
// statement.
std::string Grants(absl::string_view message, absl::string_view hint, absl::string_view role) {
  constexpr absl::string_view kDenied = "permission denied for ", kRight = "the right ";
  const size_t right = hint.find(kRight);
  const absl::string_view said =
      right == absl::string_view::npos ? "" : hint.substr(right + kRight.size());
  const size_t on = std::min(said.find("on "), said.size());
  const absl::string_view known = absl::StripTrailingAsciiWhitespace(said.substr(0, on));
  const absl::string_view of_tables = known.empty() ? "SELECT, INSERT, UPDATE" : known;
  const size_t at = message.find(kDenied);
  if (at == absl::string_view::npos) return "";
  absl::string_view rest = message.substr(at + kDenied.size());
  rest = rest.substr(0, std::min({rest.find(": "), rest.find(" ["), rest.find(" (SQLSTATE")}));
  const auto grant = [role](absl::string_view rights, absl::string_view what) {
    return absl::StrCat("GRANT ", rights, " ON ", what, " TO ", role);
  };
  if (absl::ConsumePrefix(&rest, "schema ")) {
    const std::string schema = absl::StrCat("SCHEMA ", Identifier(rest));
    return absl::StrCat(grant("USAGE", schema), "; ",
                        grant(of_tables, absl::StrCat("ALL TABLES IN ", schema)),
                        "; or that on the tables alone that the statement names");
  }
  const auto named = [&](absl::string_view kind) {
    absl::string_view whole = said.substr(std::min(on + 3, said.size()));
    return absl::ConsumePrefix(&whole, kind) && absl::StartsWith(whole, "\"")
               ? std::string(whole)
               : absl::StrCat("\u2026.", Identifier(rest));
  };
  const auto whole = [](const std::string& statement) {
    return absl::StrContains(statement, " \u2026.")
               ? absl::StrCat(statement, "; \u2026 is its schema")
               : statement;
  };
  if (absl::ConsumePrefix(&rest, "sequence "))
    return whole(grant("USAGE", absl::StrCat("SEQUENCE ", named("sequence "))));
  if (absl::ConsumePrefix(&rest, "function "))
    return whole(grant("EXECUTE", absl::StrCat("FUNCTION ", named("function "))));
  for (const absl::string_view kind : {"table ", "view ", "materialized view ", "foreign table "}) {
    if (absl::ConsumePrefix(&rest, kind))
      return absl::StrCat(whole(grant(of_tables, named("table "))),
                          of_tables == "SELECT" ? "" : "; or less, where the statement does less");
  }
  return "";
}

std::string Filled(absl::string_view reason, absl::string_view hint, absl::string_view message,
                   const ConnectorNames& names) {
  const std::string role = Identifier(names.role), database = Identifier(names.database),
                    publication = Identifier(names.publication), slot = Literal(names.slot);
  std::vector<std::pair<std::string, std::string>> all = {
      {"DATABASE NAME TO ROLE", absl::StrCat("DATABASE ", database, " TO ", role)},
      {"DATABASE … TO …", absl::StrCat("DATABASE ", database, " TO ", role)},
      {"ALTER DATABASE NAME", absl::StrCat("ALTER DATABASE ", database)},
      {"host DATABASE USER ADDRESS", absl::StrCat("host ", database, " ", role, " ADDRESS")},
      {"rds_replication TO …", absl::StrCat("rds_replication TO ", role)},
      {"rds_replication TO NAME", absl::StrCat("rds_replication TO ", role)},
      {"PUBLICATION NAME OWNER TO ROLE",
       absl::StrCat("PUBLICATION ", publication, " OWNER TO ", role)},
      {"pg_read_all_stats to the connector's role", absl::StrCat("pg_read_all_stats TO ", role)},
      {"TABLES TO NAME", absl::StrCat("TABLES TO ", role)},
      {"walduct status NAME", names::AskCommand(names.called, "status")},
      {"walduct offsets import NAME FILE", names::Command(names.called, "offsets import", "FILE")},
      {"walduct offsets reset NAME --accept-loss", Reset(names, "--accept-loss")},
      {"walduct offsets reset NAME --accept-loss --accept-foreign",
       Reset(names, "--accept-loss --accept-foreign")},
      {"walduct signal execute-snapshot NAME", SignalStart(names)},
      {"getent hosts NAME", absl::StrCat("getent hosts ", names.host)},
      {"-h HOST -p PORT", absl::StrCat("-h ", names.host, " -p ", names.port)},
      {"-connect HOST:PORT", absl::StrCat("-connect ", names.host, ":", names.port)},
  };
  for (const absl::string_view verb : {"ALTER ROLE ", "CREATE ROLE "}) {
    for (const absl::string_view gap : {"NAME", "…"})
      all.emplace_back(absl::StrCat(verb, gap), absl::StrCat(verb, role));
  }
  for (const absl::string_view gap : {"…", "..."}) {
    all.emplace_back(absl::StrCat("ALTER PUBLICATION ", gap),
                     absl::StrCat("ALTER PUBLICATION ", publication));
  }
  all.emplace_back(std::string(kSlotAnew),
                   absl::StrCat("; then ", Reset(names, "--drop-slot --accept-loss"),
                                ": the slot has to be made after it"));
  // By what its state asks for.
  const std::string begin = names::Command(names.called, names.called.rests ? "resume" : "restart");
  if (names.served) {
    for (const absl::string_view words :
         {"restart the connector", "start the connector again", "start the connector"})
      all.emplace_back(std::string(words), begin);
  } else if (ByFiles(names) || !names.called.unit.empty()) {
    all.emplace_back("restart the connector", names::RestartCommand(names.called));
  }
  if (names.served || !names.called.unit.empty()) {
    all.emplace_back(std::string(kStartAgain),
                     absl::StrCat("; then ", names.served ? begin : StartUnit(names)));
  }
  // Alone it refuses what would lose changes.
  all.emplace_back("(walduct offsets reset)",
                   absl::StrCat("(", Reset(names, "--accept-loss"), ")"));
  // Which one is another's slot it has said itself.
  if (reason != "other_slot_inactive") {
    all.emplace_back("pg_drop_replication_slot('NAME')",
                     absl::StrCat("pg_drop_replication_slot(", slot, ")"));
  }
  // Of another server's position.
  all.emplace_back("(walduct offsets reset --accept-foreign)",
                   absl::StrCat("(", Reset(names, "--accept-loss --accept-foreign"), ")"));
  return WithProcess(WithPosition(absl::StrReplaceAll(hint, all), names), message);
}

}  // namespace

std::string AndSlotAnew(const std::string& hint) {
  if (absl::StrContains(hint, kSlotAnew) || hint.empty() ||
      absl::StrContains(hint, kNothingCaptured))
    return hint;
  return absl::StrCat(absl::StripSuffix(hint, kStartAgain), kSlotAnew);
}

absl::Status AndSlotAnew(const absl::Status& error, bool has_slot) {
  const bool renamed = absl::StrContains(ErrorHint(error), "publication.name=");
  if (!has_slot || renamed || ErrorReason(error) != "publication_missing") return error;
  return Error(error.code(), ErrorReason(error), error.message(), AndSlotAnew(ErrorHint(error)));
}

std::string WithProcess(const std::string& hint, absl::string_view message) {
  const std::string process = ProcessIn(message);
  return process.empty() ? hint
                         : absl::StrReplaceAll(hint, {{"(PID)", absl::StrCat("(", process, ")")}});
}

std::string LockHint(absl::string_view lock) {
  if (ProcessIn(lock).empty() && absl::StrContains(lock, "prepared transaction "))
    return "end that transaction (COMMIT PREPARED, ROLLBACK PREPARED, in its database), or wait";
  return WithProcess(
      "end that transaction (COMMIT, ROLLBACK, SELECT pg_terminate_backend(PID)), or wait", lock);
}

absl::Status WithLock(const absl::Status& error, absl::string_view lock, absl::Duration age) {
  constexpr absl::string_view kSeen = "; seen from beside ";
  if (lock.empty() || ErrorReason(error) != "lock_timeout") return error;
  if (absl::StrContains(error.message(), kSeen)) return error;
  const std::string ago = absl::FormatDuration(absl::Trunc(age, absl::Seconds(1)));
  return Error(error.code(), ErrorReason(error),
               absl::StrCat(error.message(), kSeen, ago, " ago: waiting for ", lock),
               LockHint(lock));
}

void UseRemedies(RemedyOf remedy_of) { remedies = remedy_of; }

std::string NamedHint(absl::string_view reason, absl::string_view message, absl::string_view hint,
                      const ConnectorNames& names) {
  if (std::find(kReadAnew.begin(), kReadAnew.end(), reason) != kReadAnew.end())
    return absl::StrCat(
        reason == "slot_invalidated" ? "it is looked at again at once; if it is lost, " : "",
        ReadAnew(reason, names));
  if (reason == "publication_missing" && !absl::StrContains(hint, "CREATE PUBLICATION") &&
      !absl::StrContains(hint, kNothingCaptured) && !absl::StrContains(hint, "publication.name="))
    return PublicationAnew(names);
  const RemedyOf remedy_of = remedies;
  std::string said(hint);
  // Of what is done beside the stream the hint alone is kept.
  if (reason == "permission_denied" || absl::StrContains(hint, kGiveRight)) {
    if (const std::string grants = Grants(message, hint, Identifier(names.role)); !grants.empty())
      said = grants;
  }
  if (said.empty() && remedy_of != nullptr)
    said = std::string(absl::StripSuffix(remedy_of(reason), "."));
  return ToWorker(Filled(reason, said, message, names), names);
}

absl::Status AndRestart(const absl::Status& error, const ConnectorNames& names) {
  const std::string hint = ErrorHint(error);
  for (const absl::string_view begins : {"walduct restart", "starts it again", "curl -X P"})
    if (absl::StrContains(hint, begins)) return error;
  if (!names.served || ErrorReason(error).empty()) return error;
  const std::string restart = names::Command(names.called, "restart");
  const std::string said = absl::StrCat(
      hint.empty() ? "mend it"
                   : absl::string_view(hint).substr(0, hint.find_last_not_of(";. ") + 1),
      "; then ", restart);
  return WithChange(Error(error.code(), ErrorReason(error), error.message(), said),
                    ErrorChange(error));
}

absl::Status WithNamedHint(const absl::Status& error, const ConnectorNames& names) {
  const std::string reason = ErrorReason(error);
  if (error.ok() || reason.empty()) return error;
  const std::string hint = NamedHint(reason, error.message(), ErrorHint(error), names);
  return hint == ErrorHint(error)
             ? error
             : WithChange(Error(error.code(), reason, error.message(), hint), ErrorChange(error));
}

}  // namespace walduct::engine
