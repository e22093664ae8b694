#include "operate/doctor/doctor_report.h"

#include <rapidjson/document.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/environment.h"
#include "base/json.h"
#include "base/mutex.h"
#include "engine/errors/named_hint.h"
#include "engine/lifecycle/connectors.h"
#include "metrics/connector_metrics.h"
#include "operate/doctor/subject_of.h"

namespace walduct::operate {
namespace {

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

// What looks at the catalog have found, which know what was captured before.
void AddCapture(const metrics::ConnectorMetrics& numbers, Findings* findings) {
  const std::optional<metrics::CaptureView> view = numbers.capture.Read();
  if (!view) return;
  for (const metrics::CaptureProblem& problem : view->problems) {
    const auto same = [&](const Finding& finding) { return finding.reason == problem.reason; };
    if (std::any_of(findings->all.begin(), findings->all.end(), same)) continue;
    findings->Add({.severity = problem.loses ? Severity::kWarning : Severity::kNotice,
                   .reason = problem.reason,
                   .message = absl::StrCat(problem.message, " (", problem.count,
                                           "): ", absl::StrJoin(problem.tables, ", ")),
                   .hint = problem.hint});
  }
}

}  // namespace

Examined ExamineConnector(const engine::ConnectorOptions& options,
                          const engine::ConnectorNames& names, const Environment& environment) {
  Examined one{options.name, Examine(SubjectOf(options), environment)};
  for (Finding& finding : one.findings.all)
    finding.hint = engine::NamedHint(finding.reason, finding.message, finding.hint, names);
  return one;
}

std::string ExamineRunning(const std::vector<engine::ConnectorOptions>& lanes,
                           const engine::Connectors& connectors, const Environment& environment) {
  static Mutex one_at_a_time;
  const MutexLock lock(one_at_a_time);
  std::vector<engine::ConnectorView> views = connectors.Look();
  for (engine::ConnectorView& view : connectors.Resting()) views.push_back(std::move(view));
  std::vector<Examined> all;
  for (const engine::ConnectorOptions& lane : lanes) {
    const auto view = std::find_if(views.begin(), views.end(), [&](const auto& one) {
      return one.status.name == lane.name && one.names != nullptr;
    });
    if (view == views.end()) {
      all.push_back(ExamineConnector(lane, engine::NamesOf(lane), environment));
      continue;
    }
    all.push_back(
        ExamineConnector(lane, engine::NamesIn(view->status.state, *view->names), environment));
    AddLastError(view->status, &all.back().findings);
    if (view->metrics != nullptr) AddCapture(*view->metrics, &all.back().findings);
  }
  return ExaminedJson(all);
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

void AddLastError(const engine::ConnectorStatus& status, Findings* findings) {
  const bool fails = status.state == engine::ConnectorState::kFailed ||
                     status.activity == engine::Activity::kRetrying;
  if (!fails || !status.last_error) return;
  const engine::ConnectorError& error = *status.last_error;
  const auto same = [&](const Finding& finding) { return finding.reason == error.reason; };
  std::erase_if(findings->all, same);
  findings->all.insert(findings->all.begin(), {.severity = Severity::kError,
                                               .reason = error.reason,
                                               .message = error.message,
                                               .hint = error.hint});
}

}  // namespace walduct::operate
