#include "admin/console/console_pages.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "admin/health.h"
#include "admin/reasons/reasons.h"
#include "admin/status_page.h"
#include "base/json.h"
#include "base/log_tail.h"
#include "operate/commands/version.h"

namespace walduct::admin {
namespace {

constexpr absl::Duration kSoon = absl::Hours(1);
constexpr size_t kTrendDigits = 30;
constexpr size_t kMostOfAbout = 300;

absl::Status NotFound(absl::string_view what, absl::string_view name) {
  return absl::NotFoundError(absl::StrCat("There is no ", what, " ", name, "."));
}

std::optional<metrics::CaptureProblem> LosesRows(const metrics::ConnectorMetrics& numbers) {
  const std::optional<metrics::CaptureView> view = numbers.capture.Read();
  if (!view) return std::nullopt;
  const auto found = std::find_if(view->problems.begin(), view->problems.end(),
                                  [](const auto& problem) { return problem.loses; });
  if (found == view->problems.end()) return std::nullopt;
  return *found;
}

std::string ReasonAndMessage(const std::string& reason, const std::string& message) {
  return reason.empty() ? message : absl::StrCat(reason, ": ", message);
}

std::string OpenError(const engine::ConnectorStatus& status) {
  const auto& error = status.last_error;
  return error && !error->solved_at ? ReasonAndMessage(error->reason, error->message) : "";
}

// The slot alone, whatever the connector does; empty: it is well.
Verdict OfSlot(const metrics::SlotView& slot, absl::Duration now) {
  const std::string wal = slot.StatusAt(now);
  const std::string name = slot.slot.empty() ? "" : absl::StrCat(" \"", slot.slot, "\"");
  if (wal == "lost")
    return {"slot lost", "bad",
            absl::StrCat("slot_lost: replication slot", name, " was invalidated")};
  if (wal == "missing")
    return {"slot missing", "bad", absl::StrCat("slot_missing: the server has no slot", name)};
  if (wal == "unreserved")
    return {"slot unreserved", "bad", "the server may remove WAL that was not read at any time"};
  const std::optional<absl::Duration> left = slot.TimeUntilLost();
  if (left && *left < kSoon) {
    return {"slot at risk", "bad",
            absl::StrCat("the slot is lost in ", static_cast<int>(absl::ToInt64Seconds(*left)),
                         " s at the present rate")};
  }
  return {};
}

// What it does, or waits for, in the words of `walduct status`.
std::string DoingOf(const engine::ConnectorStatus& status) {
  std::string text;
  if (status.activity != engine::Activity::kNone)
    text = std::string(engine::ActivityText(status.activity));
  const bool waits = status.wait != engine::WaitReason::kNothing && !status.rests();
  if (waits)
    absl::StrAppend(&text, text.empty() ? "" : ", ", "waiting for ", engine::WaitText(status.wait));
  return text;
}

// "x/2" is a lane of "x" where there is one of that name.
std::string WholeOf(const std::string& name, const std::set<std::string>& whole) {
  if (whole.contains(name)) return name;
  const size_t slash = name.rfind('/');
  const std::string first = name.substr(0, slash);
  return slash != std::string::npos && whole.contains(first) ? first : name;
}

class RowWriter {
 public:
  RowWriter(const ProcessView& process, const History* history,
            const std::vector<KnownConnector>& known, JsonWriter* json)
      : process_(process), history_(history), known_(known), json_(*json) {
    if (known.empty()) {
      for (const ShownConnector& one : process.connectors) {
        const bool lane = whole_.contains(one.status.name.substr(0, one.status.name.rfind('/')));
        if (!lane) whole_.insert(one.status.name);
      }
    }
    for (const KnownConnector& one : known) whole_.insert(one.name);
  }

  // Those that run, those that rest, those that are only known. only: of that name; empty: all.
  void WriteAll(absl::string_view only = "") {
    std::set<std::string> shown;
    for (const auto* const all : {&process_.connectors, &process_.resting}) {
      for (const ShownConnector& one : *all) {
        if (!shown.insert(one.status.name).second) continue;
        if (only.empty() || one.status.name == only) Write(one);
      }
    }
    for (const KnownConnector& one : known_)
      if (!shown.contains(one.name) && (only.empty() || one.name == only)) Write(one);
  }

 private:
  void Begin(const std::string& name, absl::string_view state, const Verdict& verdict) {
    json_.Object().Key("name").Text(name).Key("state").Text(state);
    json_.Key("word").Text(verdict.word).Key("kind").Text(verdict.kind);
    if (!verdict.about.empty())
      json_.Key("about").Text(absl::string_view(verdict.about).substr(0, kMostOfAbout));
    if (const std::string whole = WholeOf(name, whole_); whole != name) json_.Key("of").Text(whole);
  }

  void Write(const ShownConnector& one) {
    const engine::ConnectorStatus& status = one.status;
    Begin(status.name, engine::StateText(status.state), VerdictOf(one, process_));
    if (const std::string doing = DoingOf(status); !doing.empty()) json_.Key("does").Text(doing);
    if (const auto lag = one.metrics->lag.Read(process_.now))
      json_.Key("lag").Number(std::round(10 * std::max(0.0, absl::ToDoubleSeconds(*lag))) / 10);
    if (const auto slot = one.metrics->slot.Read()) {
      const uint64_t stored = one.metrics->stored_lsn.value(), end = slot->wal_end.value();
      if (stored > 0) json_.Key("bytes").Whole(end > stored ? end - stored : 0);
      if (slot->wal_status != "none") json_.Key("wal").Whole(slot->retained_bytes);
    }
    if (history_ != nullptr) {
      const auto rate = history_->RateOf(status.name);
      if (rate && status.state == engine::ConnectorState::kRunning)
        json_.Key("rate").Number(std::round(*rate));
      if (const auto trend = history_->TrendOf(status.name, kTrendDigits); !trend.empty())
        json_.Key("trend").Text(trend);
    }
    json_.EndObject();
  }

  // Stopped, or its configuration could not be loaded, or it is about to begin; or not ours.
  void Write(const KnownConnector& one) {
    Verdict verdict{one.state, "none", ""};
    if (one.task == "FAILED") {
      absl::string_view trace = one.trace;
      if (const size_t colon = trace.find(": "); absl::StartsWith(trace, "org.apache"))
        trace.remove_prefix(colon + 2);
      verdict = {"FAILED", "bad", std::string(trace)};
    } else if (one.other) {
      verdict.about = one.trace;
    } else if (one.state == "UNASSIGNED") {
      verdict = {one.state, "bad", one.trace};
    } else if (one.state == "RUNNING") {
      const bool there = !one.on.empty() && one.task == "RUNNING";
      verdict = there ? Verdict{one.state, "good", ""} : Verdict{"STARTING", "warn", ""};
    }
    Begin(one.name, one.task == "FAILED" ? one.task : one.state, verdict);
    if (one.other) json_.Key("other").Flag(true);
    if (!one.on.empty()) json_.Key("on").Text(one.on).Key("url").Text(one.url);
    json_.EndObject();
  }

  const ProcessView& process_;
  const History* const history_;
  const std::vector<KnownConnector>& known_;
  JsonWriter& json_;
  std::set<std::string> whole_;
};

void WriteKnown(absl::string_view key, float value, JsonWriter* json) {
  if (!std::isnan(value)) {
    json->Key(key).Number(static_cast<double>(value));
  }
}

absl::string_view LevelText(log::Level level) {
  switch (level) {
    case log::Level::kDebug:
      return "debug";
    case log::Level::kInfo:
      return "info";
    case log::Level::kWarn:
      return "warning";
    case log::Level::kError:
      return "error";
  }
  return "";
}

std::string LogJson(const std::string& name, uint64_t after) {
  JsonWriter json;
  json.Object().Key("lines").Array();
  for (const log::LogTail::Line& line : log::KeptLines().Read(name, after)) {
    json.Object().Key("number").Whole(line.number).Key("at").Text(TimeText(line.at));
    json.Key("level").Text(LevelText(line.level)).Key("text").Text(line.text).EndObject();
  }
  return json.EndArray().EndObject().text();
}

absl::StatusOr<std::string> ReasonJson(const std::string& name) {
  const Reason* const reason = FindReason(name);
  if (reason == nullptr) return NotFound("reason", name);
  JsonWriter json;
  json.Object().Key("name").Text(reason->name).Key("loses").Flag(reason->loses);
  json.Key("meaning").Text(reason->meaning).Key("remedy").Text(reason->remedy);
  return json.EndObject().text();
}

}  // namespace

Verdict VerdictOf(const ShownConnector& one, const ProcessView& process) {
  using engine::ConnectorState;
  const engine::ConnectorStatus& status = one.status;
  const std::string state(engine::StateText(status.state));
  const std::string error = OpenError(status);
  if (status.state == ConnectorState::kFailed) return {state, "bad", error};
  if (const auto slot = one.metrics->slot.Read()) {
    if (Verdict verdict = OfSlot(*slot, process.monotonic); !verdict.word.empty()) return verdict;
  }
  if (const auto problem = ShownPosition(one))
    return {"cannot go on", "bad", ReasonAndMessage(problem->reason, problem->message)};
  if (const auto problem = LosesRows(*one.metrics))
    return {"not captured", "bad", ReasonAndMessage(problem->reason, problem->message)};
  if (const auto gone_on = ShownGoneOn(one))
    return {state, "warn", absl::StrCat("read by ", gone_on->message)};
  if (status.stall) return {"STALLED", "warn", absl::StrCat("waiting for ", status.stall->cause)};
  if (status.activity == engine::Activity::kRetrying) return {"retrying", "warn", error};
  for (const metrics::BesideTrouble& trouble : one.metrics->beside.Read()) {
    if (trouble.since)
      return {state, "warn",
              absl::StrCat(trouble.what, trouble.waits ? " " : ": ", trouble.message)};
  }
  const auto rows = one.metrics->backlog.Read(process.monotonic);
  if (rows && rows->parked > 0)
    return {state, "warn",
            absl::StrCat(
                rows->parked,
                rows->parked == 1 ? " row of an outbox table is" : " rows of outbox tables are",
                " parked: not published, and tried no more")};
  if (status.state == ConnectorState::kPaused || status.state == ConnectorState::kStopped)
    return {state, "none", ""};
  return {state, status.state == ConnectorState::kRunning ? "good" : "warn", ""};
}

ProcessView ConsolePages::View() const {
  ProcessView process = ViewOf(*parts_.connectors, *parts_.clock);
  if (parts_.board != nullptr) process.worker = parts_.board->Read();
  return process;
}

std::string ConsolePages::ListJson() const {
  const ProcessView process = View();
  const std::vector<KnownConnector> known =
      parts_.known ? parts_.known() : std::vector<KnownConnector>();
  JsonWriter json;
  json.Object().Key("version").Text(operate::LibraryVersions().walduct);
  if (process.worker) WriteWorker(*process.worker, &json);
  json.Key("rows").Array();
  RowWriter(process, parts_.history, known, &json).WriteAll();
  return json.EndArray().EndObject().text();
}

absl::StatusOr<std::string> ConsolePages::ConnectorJson(const std::string& name) const {
  const ProcessView process = View();
  const std::vector<KnownConnector> known =
      parts_.known ? parts_.known() : std::vector<KnownConnector>();
  JsonWriter json;
  json.Object().Key("rows").Array();
  RowWriter(process, parts_.history, known, &json).WriteAll(name);
  json.EndArray().Key("status").Raw(StatusJson(process, name));
  return json.EndObject().text();
}

// No points: not looked at yet, or not there.
std::string ConsolePages::HistoryJson(const std::string& name) const {
  const History::View view = parts_.history->Of(name).value_or(History::View{});
  JsonWriter json;
  json.Object().Key("last").Text(TimeText(view.last));
  json.Key("seconds").Number(absl::ToDoubleSeconds(History::kEvery));
  json.Key("points").Array();
  for (const History::Point& point : view.points) {
    json.Object();
    WriteKnown("rate", point.rate, &json);
    WriteKnown("lag", point.lag, &json);
    WriteKnown("wal", point.wal, &json);
    json.EndObject();
  }
  return json.EndArray().EndObject().text();
}

absl::StatusOr<std::string> ConsolePages::ConfigJson(const std::string& name) const {
  const absl::StatusOr<ShownConfig> config = parts_.config(name);
  if (!config.ok()) return config.status();
  JsonWriter json;
  json.Object().Key("properties").Array();
  for (const auto& [key, value] : *config) json.Array().Text(key).Text(value).EndArray();
  return json.EndArray().EndObject().text();
}

absl::StatusOr<std::string> ConsolePages::Answer(absl::string_view what, const std::string& name,
                                                 uint64_t after) const {
  if (what == "list") return ListJson();
  if (what == "connector") return ConnectorJson(name);
  if (what == "history") return HistoryJson(name);
  if (what == "log") return LogJson(name, after);
  if (what == "config") return ConfigJson(name);
  if (what == "reason") return ReasonJson(name);
  return NotFound("page", what);
}

}  // namespace walduct::admin
