#include "operate/doctor/doctor_report.h"

#include <rapidjson/document.h>

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/amount_text.h"
#include "base/environment.h"
#include "base/json.h"
#include "base/mutex.h"
#include "engine/configuration/options_of.h"
#include "engine/configuration/shared_prefixes.h"
#include "engine/configuration/shared_slots.h"
#include "engine/errors/named_hint.h"
#include "engine/lifecycle/connectors.h"
#include "metrics/connector_metrics.h"
#include "operate/doctor/checks.h"
#include "operate/doctor/subject/subject_of.h"
#include "postgres/connection.h"
#include "slot/lanes/lanes.h"

namespace walduct::operate {
namespace {

constexpr absl::string_view kSendsMore = "publication_sends_more";

Severity SeverityIn(const std::string& text) {
  for (const Severity one : {Severity::kNotice, Severity::kWarning})
    if (SeverityText(one) == text) return one;
  return Severity::kError;
}

bool ReadExamined(const rapidjson::Value& json, Examined* one) {
  const rapidjson::Value* const findings = json::FindArray(json, "findings");
  const rapidjson::Value* const questions = json::FindArray(json, "asked");
  if (findings == nullptr || questions == nullptr) return false;
  one->connector = json::TextIn(json, "name");
  for (const rapidjson::Value& asked : questions->GetArray())
    if (asked.IsString()) one->findings.asked.emplace_back(asked.GetString());
  for (const rapidjson::Value& finding : findings->GetArray()) {
    if (!finding.IsObject()) return false;
    one->findings.Add({.severity = SeverityIn(json::TextIn(finding, "severity")),
                       .reason = json::TextIn(finding, "reason"),
                       .message = json::TextIn(finding, "message"),
                       .hint = json::TextIn(finding, "hint")});
  }
  one->findings.host = json::TextIn(json, "host");
  one->findings.port = json::TextIn(json, "port");
  one->findings.database = json::TextIn(json, "database");
  return true;
}

// What looks at the catalog have found, which know what was captured before: of one reason the
// worse counts.
void AddCapture(const metrics::ConnectorMetrics& numbers, Findings* findings) {
  const std::optional<metrics::CaptureView> view = numbers.capture.Read();
  if (!view) return;
  for (const metrics::CaptureProblem& problem : view->problems) {
    const Severity severity = problem.loses ? Severity::kWarning : Severity::kNotice;
    const auto same = [&](const Finding& finding) { return finding.reason == problem.reason; };
    const auto as_bad = [&](const Finding& finding) {
      return same(finding) && finding.severity >= severity;
    };
    if (std::any_of(findings->all.begin(), findings->all.end(), as_bad)) continue;
    std::erase_if(findings->all, same);
    findings->Add({.severity = severity,
                   .reason = problem.reason,
                   .message = metrics::MessageWithTables(problem),
                   .hint = problem.hint});
  }
}

void AddStall(const engine::Stall& stall, absl::Time now, Findings* findings) {
  const absl::Duration stood = absl::Trunc(now - stall.since, absl::Seconds(1));
  findings->Add(
      {.severity = Severity::kWarning,
       .reason = "connector_stalled",
       .message = absl::StrCat("the connector has made no progress for ",
                               absl::FormatDuration(stood), ": it waits for ", stall.cause),
       .hint = stall.hint});
}

// A start that somebody holds up, before it counts as a stall.
void AddWait(const engine::ConnectorStatus& status, absl::Time now, Findings* findings) {
  const absl::Duration waited = absl::Trunc(now - status.wait_since, absl::Seconds(1));
  const bool long_enough =
      status.wait == engine::WaitReason::kTransactions && waited >= absl::Seconds(3);
  const bool told = status.wait != engine::WaitReason::kNothing && !status.wait_on.empty();
  if (!told && !long_enough) return;
  findings->Add(
      {.severity = Severity::kWarning,
       .reason = "connector_stalled",
       .message = absl::StrCat("the connector has waited for ", absl::FormatDuration(waited),
                               " for ", engine::WaitText(status.wait),
                               status.wait_on.empty() ? "" : ": ", status.wait_on),
       .hint = status.wait_hint});
}

// Publishing goes on, so that no stall tells of it.
void AddBeside(const metrics::ConnectorMetrics& numbers, absl::Time now, Findings* findings) {
  for (const metrics::BesideTrouble& one : numbers.beside.Read()) {
    if (!one.since) continue;
    const std::string lasted =
        absl::FormatDuration(absl::Trunc(now - *one.since, absl::Seconds(1)));
    findings->Add({.severity = Severity::kWarning,
                   .reason = one.waits ? "beside_waits" : "beside_fails",
                   .message = one.waits ? absl::StrCat(one.what, " ", one.message, ", for ", lasted)
                                        : absl::StrCat(one.what, " has failed for ", lasted, ": ",
                                                       one.message),
                   .hint = one.hint});
  }
}

// How fast it goes, and who holds it up: what looks from beside the stream have seen.
void AddSlot(const metrics::ConnectorMetrics& numbers, Findings* findings) {
  const std::optional<metrics::SlotView> slot = numbers.slot.Read();
  if (!slot || slot->unreached || slot->doubted) return;
  const auto of_slot = [](const Finding& finding) {
    return finding.reason == "slot_unreserved" || finding.reason == "slot_soon_lost";
  };
  auto found = std::find_if(findings->all.begin(), findings->all.end(), of_slot);
  if (found == findings->all.end()) {
    if (!slot->SoonLost() || slot->wal_status == "unreserved") return;
    findings->Add({.severity = Severity::kWarning,
                   .reason = "slot_soon_lost",
                   .message = absl::StrCat("replication slot \"", slot->slot,
                                           "\" is about to be lost: it is ", slot->wal_status, ", ",
                                           BytesText(slot->retained_bytes), " of WAL kept"),
                   .hint = kKeepSlot});
    found = findings->all.end() - 1;
    const int64_t left = std::max<int64_t>(slot->safe_wal_bytes.value_or(0), 0);
    absl::StrAppend(&found->message, ", ",
                    left == 0 ? "nothing left" : BytesText(static_cast<uint64_t>(left)),
                    " until it is lost");
  }
  if (slot->growth_per_second > 0)
    absl::StrAppend(&found->message, ", grows by ", BytesText(slot->growth_per_second), "/s");
  if (const auto left = slot->TimeUntilLost())
    absl::StrAppend(&found->message, ", lost in ",
                    absl::FormatDuration(absl::Trunc(*left, absl::Seconds(1))));
  if (!slot->oldest_transaction || slot->oldest_transaction->age < absl::Minutes(1)) return;
  absl::StrAppend(
      &found->message, "; held by ", slot->oldest_transaction->who, ", open for ",
      absl::FormatDuration(absl::Trunc(slot->oldest_transaction->age, absl::Seconds(1))));
  absl::StrAppend(&found->hint, "; ",
                  engine::WithProcess("end it: COMMIT, ROLLBACK, ROLLBACK PREPARED, or SELECT "
                                      "pg_terminate_backend(PID)",
                                      slot->oldest_transaction->who));
}

// What else is to be typed needs it.
void FirstKafka(Findings* findings) {
  const std::string first = "first Kafka has to answer: until then no command is taken. Then ";
  const auto away = [](const Finding& one) { return one.reason == "broker_unavailable"; };
  if (std::none_of(findings->all.begin(), findings->all.end(), away)) return;
  for (Finding& finding : findings->all) {
    bool commands = false;
    for (const char* const verb : {"offsets", "restart", "resume", "run"})
      commands = commands || absl::StrContains(finding.hint, absl::StrCat("walduct ", verb, " "));
    if (commands && !away(finding) && !absl::StartsWith(finding.hint, "first Kafka"))
      finding.hint.insert(0, first);
  }
}

// A statement that was made by a look at the server takes the place of words.
std::string BetterHint(const Finding& found, const std::string& hint) {
  constexpr absl::string_view kStatement = "CREATE PUBLICATION ";
  const bool better =
      absl::StrContains(found.hint, kStatement) && !absl::StrContains(hint, kStatement);
  return better ? found.hint : hint;
}

void AddLastError(const engine::ConnectorStatus& status, Findings* findings) {
  using enum engine::ConnectorState;
  const bool open = status.last_error && !status.last_error->solved_at;
  const bool fails = status.state == kFailed || status.activity == engine::Activity::kRetrying ||
                     (status.state == kRunning && open);
  if (!fails || !status.last_error) return;
  const engine::ConnectorError& error = *status.last_error;
  Finding first{.severity = Severity::kError,
                .reason = error.reason,
                .message = error.message,
                .hint = error.hint};
  for (const Finding& finding : findings->all)
    if (finding.reason == error.reason) first.hint = BetterHint(finding, first.hint);
  std::erase_if(findings->all, [&](const auto& one) { return one.reason == error.reason; });
  findings->all.insert(findings->all.begin(), std::move(first));
}

// Of those that run and those that rest.
std::vector<engine::ConnectorView> AllViews(const engine::Connectors& connectors) {
  std::vector<engine::ConnectorView> views = connectors.Views();
  for (engine::ConnectorView& view : connectors.Resting()) views.push_back(std::move(view));
  return views;
}

// Absent: none of that name is known here.
std::optional<engine::ConnectorView> ViewOf(const engine::Connectors& connectors,
                                            const std::string& lane) {
  std::vector<engine::ConnectorView> views = AllViews(connectors);
  for (engine::ConnectorView& view : views)
    if (view.status.name == lane && view.names != nullptr) return std::move(view);
  return std::nullopt;
}

// By a position that it knows, also when the store has lost it.
bool Goes(const engine::ConnectorView& view) {
  return view.status.state == engine::ConnectorState::kRunning && view.metrics != nullptr &&
         view.metrics->stored_lsn.value() != 0;
}

}  // namespace

bool HadSlot(const metrics::ConnectorMetrics& numbers) {
  const std::optional<metrics::SlotView> slot = numbers.slot.Read();
  return slot && slot->wal_status != "none" && !slot->wal_status.empty();
}

void KeepSlotsOfOthers(const std::string& own, const std::set<std::string>& slots_of_others,
                       Findings* findings) {
  for (Finding& finding : findings->all) {
    for (const std::string& slot : slots_of_others) {
      if (slot.empty()) continue;  // of one that polls
      const bool is_own = slot == own;
      const bool drops =
          absl::StrContains(finding.hint, absl::StrCat("pg_drop_replication_slot(",
                                                       postgres::QuoteLiteral(slot), ")")) ||
          (is_own && absl::StrContains(finding.hint, "--drop-slot"));
      if (!drops) continue;
      finding.hint =
          is_own ? absl::StrCat("another connector reads that slot, too: ", engine::kSharedSlotHint)
                 : "another connector reads that slot: start that one";
      break;
    }
  }
}

void NoStartBesideErrors(Findings* findings) {
  constexpr absl::string_view kStart = "start the connector (";
  const auto refuses =
      std::find_if(findings->all.begin(), findings->all.end(),
                   [](const Finding& finding) { return finding.severity == Severity::kError; });
  if (refuses == findings->all.end()) return;
  for (Finding& finding : findings->all) {
    if (finding.reason != "slot_inactive" || !absl::StartsWith(finding.hint, kStart)) continue;
    const size_t rest = std::min(finding.hint.find("; or, "), finding.hint.size());
    finding.hint = absl::StrCat("a start does not help before ", refuses->reason,
                                " is mended: see to that first", finding.hint.substr(rest));
  }
}

Examined ExamineConnector(const engine::ConnectorOptions& options,
                          const engine::ConnectorNames& names, const Environment& environment,
                          const KnownHere& known) {
  Subject subject = SubjectOf(options);
  subject.runs = known.runs;
  subject.had_slot = known.had_slot;
  subject.sharing = known.sharing;
  subject.slots_of_others = known.slots_of_others;
  subject.publications_of_others = known.publications_of_others;
  Examined one{options.name, Examine(subject, environment)};
  NoStartBesideErrors(&one.findings);
  for (Finding& finding : one.findings.all)
    finding.hint = engine::NamedHint(finding.reason, finding.message, finding.hint, names);
  KeepSlotsOfOthers(names.slot, known.slots_of_others, &one.findings);
  FirstKafka(&one.findings);
  return one;
}

namespace {

void AddSharedPrefix(const engine::ConnectorNames& own, const engine::Connectors& connectors,
                     std::vector<Examined>* all) {
  engine::SharedPrefixes prefixes;
  for (const engine::ConnectorView& view : AllViews(connectors))
    if (view.names != nullptr) prefixes.Add(*view.names);
  const std::string text = prefixes.TextOf(own);
  if (text.empty() || all->empty()) return;
  AddWarnings({absl::StrCat(kOfPrefix, text)}, &all->front().findings);
}

// Other connectors that read by its publication.
std::vector<engine::ConnectorView> SharingPublication(const engine::ConnectorNames& own,
                                                      const engine::Connectors& connectors) {
  std::vector<engine::ConnectorView> sharing;
  for (const engine::ConnectorView& view : AllViews(connectors)) {
    if (view.names == nullptr || view.config == nullptr) continue;
    const engine::ConnectorNames& names = *view.names;
    if (names.slot.empty() || names.called.name == own.called.name) continue;
    if (names.host == own.host && names.port == own.port && names.database == own.database &&
        names.publication == own.publication)
      sharing.push_back(view);
  }
  return sharing;
}

// Of its server, what other connectors read. A publication's name may be folded.
KnownHere KnownOfOthers(const engine::ConnectorNames& own, const engine::Connectors& connectors) {
  KnownHere known;
  for (const engine::ConnectorView& view : AllViews(connectors)) {
    if (view.names == nullptr || view.names->called.name == own.called.name) continue;
    if (view.names->host == own.host && view.names->port == own.port)
      known.slots_of_others.insert(view.names->slot);
    // A server may have several names: one too few is offered rather than another's.
    if (view.names->database != own.database) continue;
    known.publications_of_others.insert(view.names->publication);
    known.publications_of_others.insert(absl::AsciiStrToLower(view.names->publication));
  }
  return known;
}

bool Says(const Findings& findings, absl::string_view reason) {
  return std::any_of(findings.all.begin(), findings.all.end(),
                     [reason](const Finding& finding) { return finding.reason == reason; });
}

// A connector's own looks know of no other one; the doctor's do.
void AddLiveBeside(const engine::ConnectorView& view, bool shares, absl::Time now,
                   Findings* findings) {
  const bool said = Says(*findings, kSendsMore);
  AddLive(view.status, *view.metrics, now, findings);
  if (!shares || said) return;
  std::erase_if(findings->all, [](const Finding& finding) { return finding.reason == kSendsMore; });
}

}  // namespace

std::string ExamineRunning(const engine::ConnectorOptions& options,
                           const engine::Connectors& connectors, const Environment& environment,
                           const std::vector<std::string>& warnings,
                           const std::set<std::string>& slots_of_others,
                           const std::set<std::string>& publications_of_others) {
  static Mutex one_at_a_time;
  const MutexLock lock(one_at_a_time);
  std::vector<Examined> all;
  for (const engine::ConnectorOptions& lane : slot::LanesOf(options)) {
    const std::optional<engine::ConnectorView> before = ViewOf(connectors, lane.name);
    const engine::ConnectorNames names = engine::NamesOf(lane);
    KnownHere known = KnownOfOthers(names, connectors);
    known.slots_of_others.insert(slots_of_others.begin(), slots_of_others.end());
    known.publications_of_others.insert(publications_of_others.begin(),
                                        publications_of_others.end());
    if (!before) {
      all.push_back(ExamineConnector(lane, names, environment, known));
      continue;
    }
    const std::vector<engine::ConnectorView> others =
        SharingPublication(*before->names, connectors);
    known.runs = Goes(*before);
    known.had_slot = before->metrics != nullptr && HadSlot(*before->metrics);
    for (const engine::ConnectorView& other : others)
      known.sharing.push_back(&engine::TablesOf(*other.config));
    all.push_back(ExamineConnector(lane, engine::NamesIn(before->status.state, *before->names),
                                   environment, known));
    // As it is by now: servers take their time to answer.
    const engine::ConnectorView view = ViewOf(connectors, lane.name).value_or(*before);
    if (view.metrics != nullptr)
      AddLiveBeside(view, !others.empty(), environment.clock->Now(), &all.back().findings);
    KeepSlotsOfOthers(before->names->slot, known.slots_of_others, &all.back().findings);
    for (Finding& finding : all.back().findings.all) {
      if (finding.reason == "beside_fails")
        finding.hint = engine::NamedHint("", finding.message, finding.hint, *before->names);
    }
  }
  if (!all.empty()) AddWarnings(warnings, &all.front().findings);
  AddSharedPrefix(engine::NamesOf(options), connectors, &all);
  return ExaminedJson(all);
}

OffsetTopic OffsetTopicOf(const engine::ConnectorOptions& options, const Environment& environment) {
  return OffsetTopicOf(SubjectOf(options), environment);
}

void AddWarnings(const std::vector<std::string>& warnings, Findings* findings) {
  for (const std::string& warning : warnings) {
    const bool misspelt = absl::StrContains(warning, "unknown property");
    const bool shared = absl::StartsWith(warning, kOfPrefix);
    // Of a property that is not there no name is wrong.
    const bool unset = absl::StrContains(warning, "not set: ");
    // Its value is one that Debezium has.
    const bool mapped = absl::StrContains(warning, "is mapped to ");
    findings->Add({.severity = misspelt || shared ? Severity::kWarning : Severity::kNotice,
                   .reason = shared ? "topic_prefix_shared" : "configuration_warning",
                   .message = warning,
                   .hint = shared   ? engine::kSharedPrefixHint
                           : unset  ? "set it, or leave it so"
                           : mapped ? "take the line out, or leave it so"
                                    : "correct its name, or take it out"});
  }
  findings->WorstFirst();
}

size_t CountOf(const Examined& one, Severity severity) {
  return static_cast<size_t>(
      std::count_if(one.findings.all.begin(), one.findings.all.end(),
                    [&](const Finding& finding) { return finding.severity == severity; }));
}

std::string ExaminedJson(const std::vector<Examined>& all) {
  JsonWriter json;
  json.Object().Key("connectors").Array();
  for (const Examined& one : all) {
    json.Object().Key("name").Text(one.connector);
    json.Key("errors").Whole(CountOf(one, Severity::kError));
    json.Key("warnings").Whole(CountOf(one, Severity::kWarning));
    json.Key("host").Text(one.findings.host).Key("port").Text(one.findings.port);
    json.Key("database").Text(one.findings.database).Key("asked").Array();
    for (const std::string& asked : one.findings.asked) json.Text(asked);
    json.EndArray().Key("findings").Array();
    for (const Finding& finding : one.findings.all) {
      json.Object().Key("severity").Text(SeverityText(finding.severity));
      json.Key("reason").Text(finding.reason).Key("message").Text(finding.message);
      json.Key("hint").Text(finding.hint).EndObject();
    }
    json.EndArray().EndObject();
  }
  return json.EndArray().EndObject().text();
}

std::optional<std::vector<Examined>> ParseExamined(absl::string_view json) {
  const rapidjson::Document body = json::Parse(json);
  const rapidjson::Value* const connectors = json::FindArray(body, "connectors");
  if (connectors == nullptr) return std::nullopt;
  std::vector<Examined> all;
  for (const rapidjson::Value& one : connectors->GetArray())
    if (!ReadExamined(one, &all.emplace_back())) return std::nullopt;
  return all;
}

void AddLive(const engine::ConnectorStatus& status, const metrics::ConnectorMetrics& numbers,
             absl::Time now, Findings* findings) {
  AddCapture(numbers, findings);
  AddSlot(numbers, findings);
  AddBeside(numbers, now, findings);
  if (status.stall)
    AddStall(*status.stall, now, findings);
  else
    AddWait(status, now, findings);
  findings->WorstFirst();
  AddLastError(status, findings);
  FirstKafka(findings);
}

}  // namespace walduct::operate
