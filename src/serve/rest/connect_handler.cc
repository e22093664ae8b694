#include "serve/rest/connect_handler.h"

#include <rapidjson/document.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "access/guarded_pages.h"
#include "admin/connect_bodies.h"
#include "base/json.h"
#include "base/log.h"
#include "serve/rest/answers.h"
#include "serve/rest/request_rules.h"

namespace walduct::serve {
namespace {

// "*" stands for any one part.
bool Matches(const std::vector<std::string>& pattern, const Path& path) {
  return std::equal(pattern.begin(), pattern.end(), path.begin(), path.end(),
                    [](const std::string& one, const std::string& part) {
                      return one == "*" ? !part.empty() : one == part;
                    });
}

bool IsAdmitted(const ConnectHandler::Entrance& entrance, const http::Request& request) {
  return entrance.passwords == nullptr || entrance.passwords->Admits(request.authorization);
}

}  // namespace

struct ConnectHandler::Route {
  std::vector<std::string> pattern;
  std::string method;
  Method handle;
  bool reads_body = false;
  // Who does it: any worker, the leader, who owns the connector.
  enum class By { kAny, kLeader, kOwner } by = By::kAny;
};

const std::vector<ConnectHandler::Route>& ConnectHandler::Routes() {
  using I = ConnectHandler;
  static const std::vector<Route> routes = {
      {{}, "GET", &I::Root},
      {{"health"}, "GET", &I::Health},
      {{"connectors"}, "GET", &I::List},
      {{"connectors"}, "POST", &I::Create, true, Route::By::kLeader},
      {{"connectors", "*"}, "GET", &I::Info},
      {{"connectors", "*"}, "DELETE", &I::Delete, false, Route::By::kLeader},
      {{"connectors", "*", "config"}, "GET", &I::GetConfig},
      {{"connectors", "*", "config"}, "PUT", &I::PutConfig, true, Route::By::kLeader},
      {{"connectors", "*", "config"}, "PATCH", &I::PatchConfig, true, Route::By::kLeader},
      {{"connectors", "*", "status"}, "GET", &I::Status},
      {{"connectors", "*", "tasks"}, "GET", &I::Tasks},
      {{"connectors", "*", "tasks"}, "POST", &I::InternalRequest},
      {{"connectors", "*", "fence"}, "PUT", &I::InternalRequest},
      {{"connectors", "*", "tasks", "*", "status"}, "GET", &I::TaskStatus},
      {{"connectors", "*", "tasks", "*", "restart"},
       "POST",
       &I::RestartTask,
       false,
       Route::By::kOwner},
      {{"connectors", "*", "restart"}, "POST", &I::Restart, false, Route::By::kLeader},
      {{"connectors", "*", "pause"}, "PUT", &I::Pause, false, Route::By::kLeader},
      {{"connectors", "*", "resume"}, "PUT", &I::Resume, false, Route::By::kLeader},
      {{"connectors", "*", "stop"}, "PUT", &I::Stop, false, Route::By::kLeader},
      {{"connectors", "*", "topics"}, "GET", &I::Topics},
      {{"connectors", "*", "topics", "reset"}, "PUT", &I::ResetTopics, false, Route::By::kLeader},
      {{"connectors", "*", "offsets"}, "GET", &I::GetOffsets},
      {{"connectors", "*", "offsets"}, "PATCH", &I::PatchOffsets, true, Route::By::kOwner},
      {{"connectors", "*", "offsets"}, "DELETE", &I::DeleteOffsets, false, Route::By::kOwner},
      {{"connectors", "*", "signal"}, "POST", &I::Signal, true, Route::By::kOwner},
      {{"connectors", "*", "skip"}, "POST", &I::Skip, true, Route::By::kOwner},
      {{"connectors", "*", "doctor"}, "GET", &I::Doctor, false, Route::By::kOwner},
      {{"connectors", "*", "recovery"}, "GET", &I::Recovery, false, Route::By::kOwner},
      {{"connectors", "*", "outbox"}, "GET", &I::OutboxRows, false, Route::By::kOwner},
      {{"connectors", "*", "outbox"}, "POST", &I::ChangeOutboxRows, true, Route::By::kOwner},
      {{"connectors", "*", "position"}, "POST", &I::MovePosition, true, Route::By::kOwner},
      {{"connectors", "*", "position"}, "PUT", &I::ImportPosition, true, Route::By::kOwner},
      {{"connector-plugins"}, "GET", &I::ListPlugins},
      {{"connector-plugins", "*", "config"}, "GET", &I::PluginConfig},
      {{"connector-plugins", "*", "config", "validate"}, "PUT", &I::ValidatePlugin, true},
      {{"admin", "loggers"}, "GET", &I::Loggers},
      {{"admin", "loggers", "*"}, "GET", &I::GetLogger},
      {{"admin", "loggers", "*"}, "PUT", &I::PutLogger, true},
  };
  return routes;
}

ConnectHandler::ConnectHandler(Parts parts)
    : parts_(std::move(parts)),
      loggers_(parts_.log_level),
      offsets_(*parts_.topics),
      internal_requests_(parts_.between.keys, parts_.board, parts_.clock) {}

void ConnectHandler::Open(std::string cluster_id) {
  {
    const MutexLock lock(mutex_);
    if (!cluster_id.empty()) cluster_id_ = std::move(cluster_id);
  }
  for (const auto& [logger, level] : parts_.worker->LoggerLevels()) {
    const auto set = loggers_.Set(logger, level, parts_.clock->Now());
    if (!set.ok()) log::Warn(set.status().message());
  }
  open_ = true;
}

http::Response ConnectHandler::Answer(const http::Request& request, const Entrance& entrance) {
  if (const auto refused = RefusedPath(request)) return *refused;
  const Path path = SplitPath(request.path);
  const bool admin = !path.empty() && path[0] == "admin";
  if (!(admin ? entrance.admin : entrance.others)) return ContainerError(404, "Not Found");
  const std::string method = request.method == "HEAD" ? "GET" : request.method;
  std::vector<std::string> methods;
  for (const Route& route : Routes()) {
    if (!Matches(route.pattern, path)) continue;
    methods.push_back(route.method);
    if (route.method != method) continue;
    // Another worker's: no type is asked of it, nor a password.
    const bool internal = route.handle == &ConnectHandler::InternalRequest;
    if (const auto refused = RefusedMedia(request, route.reads_body); refused && !internal)
      return *refused;
    if (!internal && !IsAdmitted(entrance, request))
      return access::Unauthorized("application/json");
    if (!internal) {
      if (const auto refused = OfAnotherGroup(request)) return *refused;
    }
    if (!open_ && route.handle != &ConnectHandler::Health) return ErrorAnswer(503, NotOpen());
    if (const auto elsewhere = Elsewhere(route, path, request)) return *elsewhere;
    return (this->*route.handle)(path, request);
  }
  if (methods.empty()) return Pages(request, entrance);
  if (method != "OPTIONS") return ContainerError(405, "Method Not Allowed");
  return IsAdmitted(entrance, request) ? OptionsAnswer(methods, request)
                                       : access::Unauthorized("text/plain");
}

// Before anything is done: a worker of another group that has this one's address would do it here.
std::optional<http::Response> ConnectHandler::OfAnotherGroup(const http::Request& request) {
  if (request.signature.empty()) return std::nullopt;
  return internal_requests_.Refused(request, ForwardedText(request));
}

// "": this worker; absent: nobody is known now.
std::optional<std::string> ConnectHandler::UrlOfDoer(const Route& route, const Path& path) const {
  const Assignment& assignment = parts_.worker->assignment();
  std::string url;
  if (route.by == Route::By::kOwner) {
    const auto where = assignment.WhereIs(path[1]);
    if (!where) return "";
    url = where->url;
  } else {
    const Assignment::Leader leader = assignment.leader();
    if (leader.self) return "";
    url = leader.url;
  }
  if (url.empty()) return std::nullopt;
  // Its own: a connector that is still ended elsewhere, or a member before it had its address.
  return url == parts_.url ? "" : url;
}

// What this worker knows now, or within the patience for a successor.
std::optional<std::string> ConnectHandler::AwaitDoer(const Route& route, const Path& path,
                                                     const std::string& but) {
  const auto is_known = [&] {
    const std::optional<std::string> url = UrlOfDoer(route, path);
    return url && *url != but;
  };
  const bool may_wait = waiting_.fetch_add(1) < kMostWait;
  const bool known =
      parts_.worker->Await(is_known, may_wait ? parts_.succession : absl::ZeroDuration());
  waiting_.fetch_sub(1);
  return known ? UrlOfDoer(route, path) : std::nullopt;
}

// Absent: it is done here, or nobody is known who would do it. One that has ended is who does it
// for a moment, to those who have not heard of its end: another one has its place soon.
std::optional<http::Response> ConnectHandler::Elsewhere(const Route& route, const Path& path,
                                                        const http::Request& request) {
  if (route.by == Route::By::kAny || !parts_.worker->assignment().follows() || !MayForward(request))
    return std::nullopt;
  std::optional<std::string> url = UrlOfDoer(route, path);
  const bool elects = !url && route.by == Route::By::kLeader;
  if (elects && parts_.worker->assignment().Confirmed().ok()) url = AwaitDoer(route, path, "-");
  if (!url || url->empty()) return std::nullopt;
  std::string why;
  std::optional<http::Response> answer = Forward(*url, request, parts_.between, &why);
  if (!answer) {
    const std::optional<std::string> next = AwaitDoer(route, path, *url);
    if (next && next->empty()) return std::nullopt;
    if (next) answer = Forward(*next, request, parts_.between, &why);
  }
  if (!answer) {
    return ErrorAnswer(
        503, absl::StrCat("The worker at ", *url, " has to do this, and takes no connection (", why,
                          "): nothing is changed. Ask again in some seconds"));
  }
  if (answer->status == 201) {
    const std::string name =
        path.size() > 1 ? path[1] : json::TextIn(json::Parse(answer->body), "name");
    answer->headers.emplace_back("Location", PlaceOf(name, request));
  }
  return answer;
}

// Who asks for JSON alone asks Connect, which has none of them.
http::Response ConnectHandler::Pages(const http::Request& request, const Entrance& entrance) {
  const std::string path(absl::StripSuffix(request.path, "/"));
  const bool json = path == "/status" || path == "/notifications";
  const bool own = json || path == "/metrics" || path == "/livez" || path == "/readyz";
  const bool for_connect = request.accept == "application/json" && !json;
  if (!own || for_connect) return ContainerError(404, "Not Found");
  if (!IsAdmitted(entrance, request)) return access::Unauthorized("text/plain");
  if (const auto refused = OfAnotherGroup(request)) return *refused;
  if (json) {
    if (const auto elsewhere = PageElsewhere(request)) return *elsewhere;
  }
  return parts_.pages->Handle(request);
}

// Of one connector the worker that runs it tells.
std::optional<http::Response> ConnectHandler::PageElsewhere(const http::Request& request) const {
  const Assignment& assignment = parts_.worker->assignment();
  const auto name = request.query.find("connector");
  if (name == request.query.end() || !assignment.follows() || !MayForward(request))
    return std::nullopt;
  const auto where = assignment.WhereIs(name->second);
  if (!where || !where->runs || where->url.empty() || where->url == parts_.url) return std::nullopt;
  return ForwardPage(where->url, request, parts_.between);
}

std::string ConnectHandler::NotOpen() const {
  const std::string waits = Waits();
  return waits.empty() ? "The worker is starting; see /health"
                       : absl::StrCat("The worker ", waits, ". It runs no connectors meanwhile");
}

http::Response ConnectHandler::Root(const Path&, const http::Request&) {
  const MutexLock lock(mutex_);
  return Json(admin::RootJson(cluster_id_));
}

http::Response ConnectHandler::Health(const Path&, const http::Request&) {
  const std::string waits = Waits();
  std::string message = open_ ? "Worker has completed startup and is ready to handle requests."
                              : "Worker is still starting up.";
  if (!waits.empty()) absl::StrAppend(&message, " It ", waits, ".");
  JsonWriter json;
  json.Object().Key("status").Text(open_ ? "healthy" : "starting").Key("message").Text(message);
  return Json(json.EndObject().text(), open_ ? 200 : 503);
}

// A worker of Connect asks for them, which is in no group with one of ours: the leader writes what
// tasks there are, and the slot fences.
http::Response ConnectHandler::InternalRequest(const Path&, const http::Request& request) {
  if (const auto refused = internal_requests_.Refused(request, request.body)) return *refused;
  return ErrorAnswer(
      409,
      "Cannot complete request because of a conflicting operation (e.g. worker rebalance): this "
      "group is served by walduct, whose workers do not ask for this. Nothing is changed");
}

}  // namespace walduct::serve
