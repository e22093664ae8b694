#include "admin/health.h"

#include <algorithm>
#include <set>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/plain_text.h"

namespace walduct::admin {
namespace {

constexpr absl::string_view kText = "text/plain; charset=utf-8";

std::string Seconds(absl::Duration duration) {
  return absl::FormatDuration(absl::Trunc(duration, absl::Seconds(1)));
}

http::Response Answer(const std::string& problems) {
  const bool fine = problems.empty();
  return {.status = fine ? 200 : 503,
          .content_type = std::string(kText),
          .body = fine ? "ok\n" : problems};
}

void AddPosition(const ShownConnector& one, std::string* trouble) {
  if (const auto problem = ShownPosition(one))
    absl::StrAppend(trouble, ", and could not go on from its stored position (", problem->reason,
                    ")");
}

}  // namespace

std::string NotReady(const engine::ConnectorStatus& status) {
  if (status.stall) return absl::StrCat("stalled: waiting for ", PlainText(status.stall->cause));
  const bool works = status.activity == engine::Activity::kStreaming ||
                     status.activity == engine::Activity::kSnapshotting;
  if (works && status.state == engine::ConnectorState::kRunning) return "";
  std::string trouble = absl::StrCat(engine::StateText(status.state));
  if (status.activity != engine::Activity::kNone)
    absl::StrAppend(&trouble, ", ", engine::ActivityText(status.activity));
  return trouble;
}

absl::string_view HealthText(Health health) {
  switch (health) {
    case Health::kFine:
      return "fine";
    case Health::kTroubled:
      return "troubled";
    case Health::kFailed:
      return "failed";
  }
  return "";
}

std::optional<metrics::PositionProblem> ShownPosition(const ShownConnector& one) {
  const bool reads = one.status.activity != engine::Activity::kNone && !one.status.retries();
  if (reads) return std::nullopt;
  std::optional<metrics::PositionProblem> problem = one.metrics->slot.position();
  const std::optional<engine::ConnectorError>& error = one.status.last_error;
  const bool said = problem && error && !error->solved_at && error->reason == problem->reason;
  return said ? std::nullopt : std::move(problem);
}

std::optional<metrics::PositionProblem> ShownGoneOn(const ShownConnector& one) {
  using engine::ConnectorState;
  const ConnectorState state = one.status.state;
  const bool rests = state == ConnectorState::kPaused || state == ConnectorState::kStopped;
  return rests ? one.metrics->slot.gone_on() : std::nullopt;
}

bool IsToldOfMissingSlot(const engine::ConnectorStatus& status) {
  static const std::set<std::string> kReasons = {"no_free_slot", "no_free_wal_sender",
                                                 "slot_other_name"};
  const std::optional<engine::ConnectorError>& error = status.last_error;
  return error && !error->solved_at && kReasons.contains(error->reason);
}

bool IsOfAnotherServer(const engine::ConnectorStatus& status) {
  const std::optional<engine::ConnectorError>& error = status.last_error;
  return error && !error->solved_at && error->reason == "system_mismatch";
}

Health HealthOf(const ShownConnector& one, absl::Duration monotonic) {
  const auto slot = one.metrics->slot.Read();
  const std::string wal_status = slot ? slot->StatusAt(monotonic) : "";
  const engine::ConnectorState state = one.status.state;
  if (state == engine::ConnectorState::kFailed || wal_status == "lost" || wal_status == "missing" ||
      ShownPosition(one))
    return Health::kFailed;
  const auto capture = one.metrics->capture.Read();
  const bool loses = capture && std::any_of(capture->problems.begin(), capture->problems.end(),
                                            [](const auto& problem) { return problem.loses; });
  const auto rows = one.metrics->backlog.Read(monotonic);
  const bool parked = rows && rows->parked > 0;
  const bool runs = state == engine::ConnectorState::kRunning;
  const bool troubled = one.status.stall || loses || parked || one.metrics->beside.cannot_look() ||
                        ShownGoneOn(one) || (runs && !NotReady(one.status).empty());
  return troubled ? Health::kTroubled : Health::kFine;
}

bool IsAlive(const ShownConnector& one, absl::Duration monotonic, absl::Duration limit) {
  return one.status.rests() || monotonic - one.status.turned <= limit;
}

http::Response Liveness(const ProcessView& process, absl::Duration limit) {
  std::string problems;
  for (const ShownConnector& one : process.connectors) {
    if (IsAlive(one, process.monotonic, limit)) continue;
    absl::StrAppend(&problems, PlainText(one.status.name), ": its loop has not turned for ",
                    Seconds(process.monotonic - one.status.turned), "\n");
  }
  return Answer(problems);
}

http::Response Readiness(const ProcessView& process) {
  std::string problems;
  if (process.worker && process.worker->wait != WorkerWait::kNothing)
    absl::StrAppend(&problems, "the worker ", PlainText(process.worker->Text()), "\n");
  for (const ShownConnector& one : process.connectors) {
    std::string trouble = NotReady(one.status);
    AddPosition(one, &trouble);
    if (!trouble.empty())
      absl::StrAppend(&problems, PlainText(one.status.name), ": ", trouble, "\n");
  }
  // Those that have rested since before the process began; UNASSIGNED is what is not ours.
  for (const IdleConnector& one : process.idle) {
    std::string trouble = one.state;
    if (one.refused)
      trouble = absl::StrCat("FAILED: ", PlainText(one.refused->message));
    else if (one.state != "PAUSED" && one.state != "STOPPED" && one.state != "FAILED")
      continue;
    for (const size_t lane : one.lanes) AddPosition(process.resting[lane], &trouble);
    absl::StrAppend(&problems, PlainText(one.name), ": ", trouble, "\n");
  }
  return Answer(problems);
}

http::Response AsQuarkus(const http::Response& answer) {
  const absl::string_view state = answer.status == 200 ? "UP" : "DOWN";
  JsonWriter json;
  json.Object().Key("status").Text(state).Key("checks").Array().Object();
  json.Key("name").Text("debezium").Key("status").Text(state);
  if (answer.status != 200) {
    const absl::string_view why = absl::StripTrailingAsciiWhitespace(answer.body);
    json.Key("data").Object().Key("why").Text(why).EndObject();
  }
  return {.status = answer.status,
          .content_type = "application/json; charset=UTF-8",
          .body = json.EndObject().EndArray().EndObject().text()};
}

}  // namespace walduct::admin
