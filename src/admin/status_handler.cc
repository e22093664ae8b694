#include "admin/status_handler.h"

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "admin/health.h"
#include "admin/metric_text.h"
#include "admin/series.h"
#include "admin/status_page.h"
#include "base/error.h"
#include "base/percent.h"

namespace walduct::admin {
namespace {

// Nobody measures anything of it.
ShownConnector Refused(const IdleConnector& one) {
  static const metrics::ConnectorMetrics kNothing;
  ShownConnector shown;
  shown.metrics = &kNothing;
  shown.status.name = one.name;
  shown.status.state = engine::ConnectorState::kFailed;
  shown.status.state_since = one.refused->at;
  shown.status.last_error = one.refused;
  return shown;
}

// Empty for "/"; trailing slashes do not count.
std::vector<std::string> PartsOf(const std::string& path) {
  std::vector<std::string> parts;
  for (const absl::string_view part : absl::StrSplit(path, '/'))
    parts.push_back(DecodePercent(part));
  parts.erase(parts.begin());
  while (!parts.empty() && parts.back().empty()) parts.pop_back();
  return parts;
}

absl::Duration LimitOf(const http::Request& request) {
  const auto within = request.query.find("within");
  double seconds = 0;
  const bool given = within != request.query.end() && absl::SimpleAtod(within->second, &seconds);
  return given && seconds > 0 ? absl::Seconds(seconds) : StatusHandler::kLivenessLimit;
}

// Of a lane the connector that it is of.
const std::string& ConnectorOf(const ShownConnector& one) {
  const bool named = one.names != nullptr && !one.names->called.name.empty();
  return named ? one.names->called.name : one.status.name;
}

std::string NameIn(const http::Request& request) {
  const auto name = request.query.find("connector");
  return name == request.query.end() ? "" : name->second;
}

}  // namespace

StatusHandler::StatusHandler(Options options)
    : connectors_(*options.connectors),
      clock_(*options.clock),
      known_(std::move(options.known)),
      board_(options.board),
      ask_(std::move(options.ask)),
      signal_(std::move(options.signal)),
      guarded_(options.guarded),
      connect_(std::move(options.configs), std::move(options.worker)) {}

http::Response StatusHandler::Handle(const http::Request& request) {
  if (request.method == "GET" || request.method == "HEAD") return Get(request);
  const std::vector<std::string> path = PartsOf(request.path);
  const bool signals = request.method == "POST" && path.size() == 3 && path[0] == "connectors" &&
                       path[2] == "signal" && signal_ != nullptr;
  return signals ? Signal(path[1], request) : ConnectError(405, "HTTP 405 Method Not Allowed");
}

// Whoever may read is not yet one who may ask for a snapshot.
http::Response StatusHandler::Signal(const std::string& name, const http::Request& request) const {
  if (!guarded_ && !request.local) {
    return ConnectError(403,
                        "without a password signals are taken from the machine itself alone; hint: "
                        "ask there, or set a password (docs/security.md)");
  }
  const absl::StatusOr<std::string> answer = signal_(name, request.body);
  if (answer.ok()) return {.status = 202, .content_type = "application/json", .body = *answer};
  const bool refused =
      absl::IsInvalidArgument(answer.status()) || absl::IsPermissionDenied(answer.status());
  const std::string hint = ErrorHint(answer.status());
  return ConnectError(
      absl::IsNotFound(answer.status()) ? 404
      : refused                         ? 400
                                        : 500,
      absl::StrCat(answer.status().message(), hint.empty() ? "" : "; hint: ", hint));
}

ProcessView StatusHandler::View() const {
  ProcessView process = ViewOf(connectors_, clock_);
  if (board_ != nullptr) process.worker = board_->Read();
  if (!known_) return process;
  std::set<std::string> running;
  for (const ShownConnector& one : process.connectors) running.insert(ConnectorOf(one));
  std::map<std::string, std::vector<size_t>> resting;
  for (size_t i = 0; i < process.resting.size(); ++i)
    resting[ConnectorOf(process.resting[i])].push_back(i);
  for (IdleConnector& one : known_()) {
    if (running.contains(one.name)) continue;
    if (const auto lanes = resting.find(one.name); lanes != resting.end())
      one.lanes = std::move(lanes->second);
    if (one.refused && one.lanes.empty()) process.resting.push_back(Refused(one));
    process.idle.push_back(std::move(one));
  }
  return process;
}

http::Response StatusHandler::Get(const http::Request& request) const {
  ProcessView process = View();
  const std::vector<std::string> path = PartsOf(request.path);
  if (path.size() == 1) {
    if (path[0] == "metrics") return Metrics(request, process);
    if (path[0] == "livez") return Liveness(process, LimitOf(request));
    if (path[0] == "readyz") return Readiness(process);
    if (path[0] == "status") {
      if (notice_) process.notice = notice_();
      return {.content_type = "application/json", .body = StatusJson(process, NameIn(request))};
    }
    if (path[0] == "notifications")
      return {.content_type = "application/json",
              .body = NotificationsJson(process, NameIn(request))};
    if (path[0] == "health") {
      return {.content_type = "application/json",
              .body =
                  "{\"status\":\"healthy\",\"message\":\"Worker has completed startup and is "
                  "ready to handle requests.\"}"};
    }
  }
  if (path.size() >= 2 && path.size() <= 3 && path[0] == "q" && path[1] == "health") {
    if (path.size() == 3 && path[2] == "ready") return AsQuarkus(Readiness(process));
    // As there, it stays UP while a server is away: a restart would not bring it back.
    if (path.size() == 2 || path[2] == "live")
      return AsQuarkus(Liveness(process, LimitOf(request)));
  }
  if (ask_ && path.size() == 3 && path[0] == "connectors" &&
      (path[2] == "doctor" || path[2] == "offsets" || path[2] == "recovery" ||
       path[2] == "outbox")) {
    const absl::StatusOr<std::string> answer = ask_(path[1], path[2], request.query);
    if (answer.ok()) return {.content_type = "application/json", .body = *answer};
    return ConnectError(absl::IsNotFound(answer.status())          ? 404
                        : absl::IsInvalidArgument(answer.status()) ? 400
                                                                   : 500,
                        std::string(answer.status().message()));
  }
  return connect_.Get(path, request, process);
}

http::Response StatusHandler::Metrics(const http::Request& request,
                                      const ProcessView& process) const {
  MetricText text;
  AddOwnSeries(process, &text);
  AddDebeziumSeries(process, &text);
  AddConnectSeries(process, &text);
  AddProcessSeries(&text);
  AddWorkerSeries(process, &text);
  const bool open = absl::StrContains(request.accept, "application/openmetrics-text");
  return {.content_type = open ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                               : "text/plain; version=0.0.4; charset=utf-8",
          .body = text.Print(open ? MetricText::Format::kOpenMetrics
                                  : MetricText::Format::kPrometheus)};
}

}  // namespace walduct::admin
