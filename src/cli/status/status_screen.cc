#include "cli/status/status_screen.h"

#include <rapidjson/document.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "base/amount_text.h"
#include "base/documents.h"
#include "base/error.h"
#include "base/json.h"
#include "base/plain_text.h"
#include "cli/status/duration_text.h"
#include "cli/status/group_lines.h"
#include "cli/status/outbox_lines.h"
#include "cli/status/status_values.h"
#include "cli/usage/tones.h"
#include "names/called.h"

namespace walduct::cli {
namespace {

using json::Find;
using Value = rapidjson::Value;

constexpr size_t kLongestPart = 120;
constexpr int kBarWidth = 20;
// What was solved so long ago is no news.
constexpr absl::Duration kForget = absl::Minutes(10);
constexpr double kFarSeconds = 48 * 3600;

Tone ToneOf(const std::string& state) {
  if (state == "RUNNING") return Tone::kGood;
  return state == "FAILED" ? Tone::kBad : Tone::kWarning;
}

class Screen {
 public:
  // served: by a worker, which takes commands.
  Screen(const ScreenOptions& options, absl::Time now, bool served)
      : options_(options), now_(now), served_(served) {}

  // before: the same connector earlier; null: none.
  void Add(const Value& connector, const Value* before) {
    AddHead(connector);
    AddTrouble(connector);
    AddFlow(connector, before);
    AddSlot(connector);
    AddSnapshot(connector);
    AddIncremental(connector);
    AddLastSnapshots(connector);
    AddCapture(connector);
    AddBeside(connector);
    AddNotice("prefix", Find(connector, "shared_prefix"));
    AddNotice("shared", Find(connector, "shared_slot"));
    AddError(connector);
  }
  // notice: null: there is none.
  void AddNotice(absl::string_view label, const Value* notice) {
    if (notice == nullptr) return;
    Line(label, Toned(Tone::kWarning, Text(*notice, "message")));
    Line("", "-> " + Text(*notice, "hint"));
  }
  // Nothing, unless it waits or shares connectors with others.
  void AddWorker(const Value& worker) {
    AddWait(worker);
    if (const Value* const warning = Find(worker, "warning")) {
      absl::StrAppend(&text_, "worker  ", Toned(Tone::kWarning, Text(*warning, "message")), " (",
                      Text(*warning, "reason"), ")\n");
      Line("hint", Text(*warning, "hint"));
    }
    if (const Value* const shares = Find(worker, "shares"))
      text_ += GroupLines(Text(worker, "group"), *shares, now_, options_.colour);
  }
  void AddWait(const Value& worker) {
    const std::string waits = Text(worker, "waiting_for");
    if (waits.empty()) return;
    const bool serves = Text(worker, "state") == "serving";
    absl::StrAppend(&text_, "worker  ", Toned(Tone::kWarning, serves ? "SERVING" : "WAITING"),
                    " for ", Since(worker, "state_since"), "\n");
    Line("waiting",
         Toned(waits == "seat" ? Tone::kWarning : Tone::kBad,
               absl::StrCat(Text(worker, "message"), ", for ", Since(worker, "waiting_since"))));
    if (const std::string hint = Text(worker, "hint"); !hint.empty()) Line("hint", hint);
  }
  void AddResting(const Value& connector) {  // one that does not run
    AddHead(connector);
    AddError(connector);
    AddWhatResumesIt(connector);
    AddLag(connector);
    AddOutbox(connector);
    AddSlot(connector);
    AddCapture(connector);
    AddBeside(connector);
  }
  std::string Take() { return std::move(text_); }

 private:
  std::string Toned(Tone tone, const std::string& text) const {
    return cli::Toned(options_.colour, tone, text);
  }
  void Line(absl::string_view label, const std::string& text) {
    absl::StrAppend(&text_, "  ", Toned(Tone::kFaint, absl::StrFormat("%-10s", label)), " ",
                    WithDocuments(text), "\n");
  }
  std::string Since(const Value& object, const char* name) const {
    const std::optional<absl::Time> since = TimeOf(object, name);
    return since ? DurationText(now_ - *since) : "?";
  }

  void AddHead(const Value& connector) {
    if (!text_.empty()) text_ += "\n";
    const std::string state = Text(connector, "state");
    absl::StrAppend(&text_, Text(connector, "name"), "  ", Toned(ToneOf(state), state), " for ",
                    Since(connector, "state_since"));
    const std::string activity = Text(connector, "activity");
    if (!activity.empty() && activity != "none")
      absl::StrAppend(&text_, ", ", activity, " for ", Since(connector, "activity_since"));
    text_ += "\n";
  }

  void AddWhatResumesIt(const Value& connector) {
    const std::string state = Text(connector, "state");
    if (!WhatAStartMeets(connector).empty()) return;  // its own hint says what helps
    if (!OtherReader(connector).empty()) return;      // it would meet that one
    const names::Called called = {.who = Text(connector, "name"), .where = options_.url};
    if (served_ && (state == "PAUSED" || state == "STOPPED"))
      Line("", absl::StrCat("-> ", names::Command(called, "resume")));
  }

  // The command in a hint may do that already.
  std::string WhatStartsIt(const Value& connector) const {
    const std::string hint = HintOfOpenError(connector);
    for (const char* const begins : {"starts it again", "walduct restart", "curl -X P"})
      if (absl::StrContains(hint, begins)) return "";
    if (!served_) return ": mend it, then start the process again";
    return absl::StrCat(
        ": mend it, then ",
        names::Command({.who = Text(connector, "name"), .where = options_.url}, "restart"));
  }

  void AddTrouble(const Value& connector) {
    if (const Value* stall = Find(connector, "stall")) {
      Line("stalled",
           Toned(Tone::kBad, absl::StrCat("for ", Since(*stall, "since"), ", waiting for ",
                                          Text(*stall, "waiting_for"))));
      if (const std::string hint = Text(*stall, "hint"); !hint.empty()) Line("", "-> " + hint);
    } else if (Text(connector, "state") == "FAILED") {
      Line("stopped", Toned(Tone::kBad, absl::StrCat("by an error that it does not get over by "
                                                     "itself",
                                                     WhatStartsIt(connector))));
    } else if (const std::string wait = Text(connector, "waiting_for"); !wait.empty()) {
      const std::string on = Text(connector, "waiting_on"), hint = Text(connector, "waiting_hint");
      Line("waiting", absl::StrCat("for ", wait, ", for ", Since(connector, "waiting_since"),
                                   on.empty() ? "" : ": ", on));
      if (!hint.empty()) Line("", "-> " + hint);
      AddWhatResumesIt(connector);
    }
    const double age = Number(connector, "loop_age_seconds").value_or(0);
    if (age > 5) {
      Line("loop", Toned(Tone::kBad,
                         absl::StrCat("has not turned for ", DurationText(absl::Seconds(age)))));
    }
  }

  // What is only worth knowing is on the page, in the log and in a doctor's answer.
  void AddCapture(const Value& connector) {
    for (const Value* const one : CaptureWarnings(connector)) {
      const bool columns = Text(*one, "reason") == "column_matches_nothing";
      AddProblem(columns ? "columns" : "tables", Tone::kBad, *one);
    }
  }
  void AddProblem(absl::string_view label, Tone tone, const Value& problem) {
    const std::string tables = TablesOf(problem);
    Line(label,
         Toned(tone,
               absl::StrCat(tables, tables.empty() ? "" : ": ", Text(problem, "message"), ", for ",
                            Since(problem, "since"), " (", Text(problem, "reason"), ")")));
    if (const std::string hint = Text(problem, "hint"); !hint.empty()) Line("", "-> " + hint);
  }

  void AddBeside(const Value& connector) {
    const Value* const failing = Find(connector, "beside");
    if (failing == nullptr || !failing->IsArray()) return;
    std::string said;  // one cause fails several
    for (const Value& one : failing->GetArray()) {
      const bool waits = Find(one, "waits") != nullptr;
      const std::string what = Text(one, "what"), message = Text(one, "message");
      Line("beside", waits ? Toned(Tone::kWarning,
                                   absl::StrCat(what, " ", message, ", for ", Since(one, "since")))
                           : Toned(Tone::kBad, absl::StrCat(what, " has failed for ",
                                                            Since(one, "since"), ": ", message)));
      const std::string hint = Text(one, "hint");
      if (!hint.empty() && hint != std::exchange(said, hint)) Line("", "-> " + hint);
    }
  }

  // "the server was looked at last, 13 s ago", where nobody can look now; else empty.
  std::string LookIsOld(const Value& connector) const {
    const Value* const slot = Find(connector, "slot");
    if (slot == nullptr) return "";
    bool old = Text(*slot, "wal_status") == "unknown";
    if (const Value* const failing = json::FindArray(connector, "beside")) {
      for (const Value& one : failing->GetArray()) old |= Text(one, "what") == "slot_look";
    }
    const double age = Number(*slot, "age_seconds").value_or(0);
    return old ? absl::StrCat("the server was looked at last, ", DurationText(absl::Seconds(age)),
                              " ago")
               : "";
  }

  void AddLag(const Value& connector) {
    if (const Value* const gone = GoneOn(connector)) return AddNotice("read by", gone);
    if (const std::string other = OtherReader(connector); !other.empty()) {
      Line("read by", absl::StrCat("another process (", other, "), which is to end first"));
      return;
    }
    std::vector<std::string> lag;
    if (const auto seconds = Number(connector, "lag_seconds")) {
      lag.push_back(DurationText(absl::Seconds(*seconds)));
      if (*seconds >= 1) lag.back() += " since the oldest change that is not acknowledged";
    }
    if (const auto bytes = Number(connector, "lag_bytes")) {
      const std::string old = LookIsOld(connector);
      lag.push_back(old.empty()
                        ? BytesText(*bytes) + " of WAL after the stored position"
                        : absl::StrCat("how much WAL after the stored position is not known (",
                                       BytesText(*bytes), " when ", old, ")"));
    }
    if (!lag.empty() || Find(connector, "outbox") == nullptr)
      Line("lag", lag.empty() ? "not known yet" : absl::StrJoin(lag, ", "));
    const Value* const gap = Find(connector, "recovery");
    if (gap == nullptr || !gap->IsObject()) return;
    Line("gap", absl::StrCat(BytesText(Number(*gap, "left_bytes").value_or(0)), " of ",
                             BytesText(Number(*gap, "wal_bytes").value_or(0)),
                             " of WAL are left: docs/recover.md"));
  }

  // Of one that polls: it has no other lag.
  void AddOutbox(const Value& connector) {
    const Value* const rows = Find(connector, "outbox");
    if (rows == nullptr) return;
    Line("outbox", WaitingRows(*rows));
    for (const auto& [text, hint] : OutboxTroubles(*rows)) {
      Line("", Toned(Tone::kBad, text));
      if (!hint.empty()) Line("", "-> " + hint);
    }
  }

  void AddFlow(const Value& connector, const Value* before) {
    AddLag(connector);
    AddOutbox(connector);
    std::string flow =
        absl::StrFormat("%.0f rows read in all", Number(connector, "events").value_or(0));
    const double between = absl::ToDoubleSeconds(options_.between);
    if (before != nullptr && between > 0) {
      const auto rate = [&](const char* name) {
        const double change =
            Number(connector, name).value_or(0) - Number(*before, name).value_or(0);
        return std::max(0.0, change / between);
      };
      flow = absl::StrFormat("%.0f records/s acknowledged, %.0f rows/s read, %s/s, %s",
                             rate("acknowledged"), rate("events"), BytesText(rate("bytes")), flow);
    }
    Line("rows", flow);
    const double limit = Number(connector, "in_flight_limit_bytes").value_or(0);
    Line(
        "in flight",
        absl::StrCat(
            absl::StrFormat("%.0f records, ", Number(connector, "in_flight_records").value_or(0)),
            BytesText(Number(connector, "in_flight_bytes").value_or(0)), " of ", BytesText(limit)));
  }

  void AddSlot(const Value& connector) {
    const Value* const slot = Find(connector, "slot");
    if (slot == nullptr) return;
    const std::string status = Text(*slot, "wal_status");
    const bool fine =
        status.empty() || status == "reserved" || status == "extended" || status == "none";
    const double look_age = Number(*slot, "age_seconds").value_or(0);
    std::vector<std::string> parts;
    if (status == "unknown") {
      const std::string last = Text(*slot, "last_wal_status");
      parts.push_back(Toned(Tone::kWarning,
                            absl::StrCat("unknown for ", DurationText(absl::Seconds(look_age)),
                                         last.empty() ? "" : absl::StrCat(" (was ", last, ")"))));
    } else if (!status.empty()) {
      parts.push_back(Toned(fine ? Tone::kPlain : Tone::kBad,
                            status == "none" ? "none on the server yet" : status));
    }
    const bool rests = Text(connector, "state") == "FAILED";
    if (status != "lost" && status != "missing" && status != "none")
      AddWal(*slot, {.old = status == "unknown", .rests = rests}, &parts);
    if (look_age > 30 && status != "unknown")
      parts.push_back(absl::StrCat("as of ", DurationText(absl::Seconds(look_age)), " ago"));
    Line("slot", absl::StrJoin(parts, ", "));
    if (IsSoonLost(*slot)) Line("", kKeepSlot);
    if (const Value* const problem = Find(*slot, "problem"); problem != nullptr) {
      Line("", Toned(Tone::kBad,
                     absl::StrCat(Text(*problem, "message"), " (", Text(*problem, "reason"), ")")));
      if (const std::string hint = Text(*problem, "hint"); hint != HintOfOpenError(connector))
        Line("", "-> " + hint);
    }
    if (const double age = Number(*slot, "oldest_transaction_seconds").value_or(0); age >= 60)
      Line("held by", absl::StrCat(Text(*slot, "oldest_transaction"), ", open for ",
                                   DurationText(absl::Seconds(age))));
  }

  struct Seen {
    bool old, rests;
  };
  // A rate that nobody has looked at for long is none; nor is that of what has failed, which takes
  // nothing up.
  void AddWal(const Value& slot, Seen seen, std::vector<std::string>* parts) const {
    parts->push_back(BytesText(Number(slot, "retained_wal_bytes").value_or(0)) + " of WAL kept");
    const double growth = Number(slot, "growth_bytes_per_second").value_or(0);
    if (growth > 0 && !seen.old && !seen.rests)
      parts->push_back(absl::StrCat("grows by ", BytesText(growth), "/s"));
    const std::optional<double> safe = Number(slot, "safe_wal_bytes");
    if (safe && *safe <= 0) {
      parts->push_back(Toned(Tone::kBad, "nothing left until it is lost"));
      return;
    }
    if (safe) parts->push_back(BytesText(*safe) + " until it is lost");
    const std::optional<double> left = Number(slot, "seconds_until_lost");
    // What ten seconds say of weeks is nothing.
    if (left && *left < kFarSeconds && !seen.old)
      parts->push_back(Toned(Tone::kBad, "lost in " + DurationText(absl::Seconds(*left))));
  }

  void AddSnapshot(const Value& connector) {
    const Value* const snapshot = Find(connector, "snapshot");
    if (snapshot == nullptr) return;
    const std::string outcome = Text(*snapshot, "outcome");
    std::string line = absl::StrCat(
        outcome, absl::StrFormat(", %.0f rows in ", Number(*snapshot, "rows").value_or(0)),
        DurationText(absl::Seconds(Number(*snapshot, "seconds").value_or(0))));
    if (const auto rate = Number(*snapshot, "rows_per_second"))
      absl::StrAppend(&line, absl::StrFormat(", %.0f rows/s", *rate));
    if (const auto left = Number(*snapshot, "seconds_left"); left && *left >= 0.1) {
      const Value* const at_least = Find(*snapshot, "at_least");
      const bool more = at_least != nullptr && at_least->IsTrue();
      absl::StrAppend(&line, more ? ", at least " : ", ", DurationText(absl::Seconds(*left)),
                      " left");
    }
    Line("snapshot", line);
    const Value* const tables = json::FindArray(*snapshot, "tables");
    if (outcome != "running" || tables == nullptr) return;
    for (const Value& table : tables->GetArray()) AddBar(table, Text(table, "state"));
  }

  void AddIncremental(const Value& connector) {
    const Value* const snapshot = Find(connector, "incremental_snapshot");
    if (snapshot == nullptr) return;
    std::string line = absl::StrFormat("incremental, %.0f rows in %.0f chunks, ",
                                       Number(*snapshot, "rows").value_or(0),
                                       Number(*snapshot, "chunks").value_or(0));
    absl::StrAppend(&line, DurationText(absl::Seconds(Number(*snapshot, "seconds").value_or(0))));
    if (const auto left = Number(*snapshot, "seconds_left"); left && *left >= 0.1)
      absl::StrAppend(&line, ", ", DurationText(absl::Seconds(*left)), " left");
    if (const double waiting = Number(*snapshot, "tables_waiting").value_or(0); waiting > 0)
      absl::StrAppend(&line, absl::StrFormat(", %.0f more tables", waiting));
    Line("snapshot", line);
    AddBar(*snapshot, "reading");
    if (const std::string held = Text(*snapshot, "held_by"); !held.empty()) {
      const double seconds = Number(*snapshot, "held_seconds").value_or(0);
      Line("held by", Toned(Tone::kWarning,
                            absl::StrCat(held, ", for ", DurationText(absl::Seconds(seconds)))));
    }
  }

  // The last three, and of signals the one that was refused last.
  void AddLastSnapshots(const Value& connector) {
    const Value* const all = Find(connector, "last_snapshots");
    const rapidjson::SizeType size = all == nullptr || !all->IsArray() ? 0 : all->Size();
    bool refused = false;
    for (rapidjson::SizeType i = 0; i < size; ++i) {
      const Value& one = (*all)[i];
      const std::string event = Text(one, "event");
      if (i >= 3 && (event != "REFUSED" || refused)) continue;
      refused |= event == "REFUSED";
      const std::string left_out = Text(one, "left_out");
      const std::string rows = Text(one, "rows_left_out");
      const bool whole = left_out.empty() && rows.empty();
      const bool well = (event == "STARTED" || event == "COMPLETED") && whole;
      std::string line = absl::StrCat(Text(one, "what"), " ", event, " ", Since(one, "at"), " ago");
      if (!left_out.empty()) absl::StrAppend(&line, ", without ", left_out);
      if (!rows.empty()) absl::StrAppend(&line, ", rows left out: ", rows);
      for (const char* const part :
           {"data_collections", "scanned_collection", "status", "message"}) {
        if (const std::string text = Text(one, part); !text.empty())
          absl::StrAppend(&line, ", ", event == "FAILED" ? text : text.substr(0, kLongestPart));
      }
      Line(i == 0 ? "snapshots" : "", well ? line : Toned(Tone::kWarning, line));
      const bool told = event == "FAILED" || event == "REFUSED";
      if (const std::string hint = Text(one, "hint"); told && !hint.empty()) Line("", "-> " + hint);
    }
  }

  void AddBar(const Value& table, const std::string& state) {
    const double rows = Number(table, "rows").value_or(0);
    const std::optional<double> estimate = Number(table, "estimated_rows");
    const std::optional<double> percent = Number(table, "percent");
    double share = state == "done" ? 1 : 0;
    if (state == "reading" && percent) share = std::clamp(*percent / 100, 0.0, 1.0);
    const int filled = static_cast<int>(share * kBarWidth);
    const std::string bar = std::string(static_cast<size_t>(filled), '#') +
                            std::string(static_cast<size_t>(kBarWidth - filled), '.');
    std::string count = absl::StrFormat("%.0f", rows);
    if (state != "done" && estimate)
      absl::StrAppend(&count, absl::StrFormat(" of ~%.0f", *estimate));
    if (state == "reading" && percent)
      absl::StrAppend(&count, absl::StrFormat(", %.1f%% by ", *percent), Text(table, "percent_by"));
    if (const auto rate = Number(table, "rows_per_second"); state == "reading" && rate)
      absl::StrAppend(&count, absl::StrFormat(", %.0f rows/s", *rate));
    absl::StrAppend(&text_, "    [", bar, "] ", Text(table, "schema"), ".", Text(table, "table"),
                    "  ", count, state == "waiting" ? "  waiting" : "", "\n");
  }

  void AddError(const Value& connector) {
    const Value* const error = Find(connector, "last_error");
    if (error == nullptr) return;
    std::string reason = Text(*error, "reason");
    if (!reason.empty()) reason = absl::StrCat(" (", reason, ")");
    if (const std::optional<absl::Time> solved = TimeOf(*error, "solved_at")) {
      if (now_ - *solved > kForget) return;
      Line("last error", Toned(Tone::kFaint, absl::StrCat(Since(*error, "at"), " ago, solved ",
                                                          DurationText(now_ - *solved), " ago: ",
                                                          Text(*error, "message"), reason)));
      return;
    }
    Line("last error", absl::StrCat(Since(*error, "at"), " ago: ",
                                    Toned(Tone::kWarning, Text(*error, "message")), reason));
    if (const std::string hint = Text(*error, "hint"); !hint.empty()) Line("hint", hint);
  }

  const ScreenOptions& options_;
  const absl::Time now_;
  const bool served_;
  std::string text_;
};

}  // namespace

absl::StatusOr<std::string> StatusScreen(absl::string_view json, const ScreenOptions& options) {
  const rapidjson::Document document = json::Parse(json);
  const rapidjson::Document before = json::Parse(options.before);
  const Value* const all = document.HasParseError() ? nullptr : Connectors(document);
  if (all == nullptr) return absl::InternalError("the answer is not that of a walduct");
  const Value* const worker = Find(document, "worker");
  Screen screen(options, TimeOf(document, "now").value_or(absl::UnixEpoch()), worker != nullptr);
  if (worker != nullptr) screen.AddWorker(*worker);
  // It knows of no connector yet, or of none any more.
  if (worker != nullptr && Text(*worker, "state") == "waiting" && all->Empty())
    return screen.Take();
  std::vector<std::string> names;
  bool found = false;
  for (const Value& one : all->GetArray()) {
    const std::string name = Text(one, "name");
    names.push_back(name);
    if (!options.connector.empty() && name != PlainText(options.connector)) continue;
    found = true;
    screen.Add(one, before.HasParseError() ? nullptr : Named(before, name));
  }
  if (const Value* const resting = Connectors(document, "resting"); resting != nullptr) {
    for (const Value& one : resting->GetArray()) {
      const std::string name = Text(one, "name");
      names.push_back(name);
      if (!options.connector.empty() && name != PlainText(options.connector)) continue;
      found = true;
      screen.AddResting(one);
    }
  }
  const std::string nobodys =
      UnassignedLine(document, options.connector,
                     TimeOf(document, "now").value_or(absl::UnixEpoch()), options.colour);
  if (!found && !options.connector.empty() && nobodys.empty()) {
    return Error(absl::StatusCode::kFailedPrecondition, "connector_unknown",
                 absl::StrCat("no connector is named '", options.connector,
                              "'; there are: ", absl::StrJoin(names, ", ")));
  }
  const bool shares = worker != nullptr && Find(*worker, "shares") != nullptr;
  const std::string none = shares ? "this worker has no connectors\n" : "no connectors\n";
  const std::string shown =
      screen.Take() + (found || nobodys.empty() ? (names.empty() ? none : "") : nobodys);
  screen.AddNotice("process", Find(document, "notice"));
  return shown + screen.Take();
}

}  // namespace walduct::cli
