#include "admin/connect_pages.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/json_text.h"
#include "base/utf8.h"
#include "engine/commands/version.h"

namespace walduct::admin {
namespace {

using engine::ConnectorState;

constexpr absl::string_view kClass = "io.debezium.connector.postgresql.PostgresConnector";
// The release whose interface this is.
constexpr absl::string_view kConnectVersion = "4.3.0";

std::string Quoted(absl::string_view text) {
  std::string quoted;
  AppendJsonString(ReplaceInvalidUtf8(text), &quoted);
  return quoted;
}

http::Response Json(std::string body) {
  return {.status = 200, .content_type = "application/json", .body = std::move(body)};
}

http::Response NotFound() { return ConnectError(404, "HTTP 404 Not Found"); }

const ConnectorScene* Find(const Scene& scene, const std::string& name) {
  const auto found =
      std::find_if(scene.connectors.begin(), scene.connectors.end(),
                   [&](const ConnectorScene& one) { return one.status.name == name; });
  return found == scene.connectors.end() ? nullptr : &*found;
}

}  // namespace

std::string TraceOf(const engine::ConnectorError& error) {
  return absl::StrCat(error.message, error.hint.empty() ? "" : "\nHint: ", error.hint,
                      error.reason.empty() ? "" : "\nReason: ", error.reason);
}

http::Response ConnectError(int status, const std::string& message) {
  return {.status = status,
          .content_type = "application/json",
          .body = absl::StrCat("{\"error_code\":", status, ",\"message\":", Quoted(message), "}")};
}

http::Response ConnectPages::Get(const std::vector<std::string>& path, const http::Request& request,
                                 const Scene& scene) const {
  if (path.empty()) {
    return Json(absl::StrCat("{\"version\":", Quoted(kConnectVersion), ",\"commit\":\"walduct-",
                             engine::LibraryVersions().walduct, "\",\"kafka_cluster_id\":\"\"}"));
  }
  if (path[0] == "connectors")
    return path.size() == 1 ? List(request, scene) : OfConnector(path, scene);
  if (path[0] == "connector-plugins" && path.size() == 1) {
    return Json(absl::StrCat("[{\"class\":", Quoted(kClass), ",\"type\":\"source\",\"version\":",
                             Quoted(engine::LibraryVersions().debezium), "}]"));
  }
  return NotFound();
}

http::Response ConnectPages::List(const http::Request& request, const Scene& scene) const {
  const auto [first, last] = request.query.equal_range("expand");
  const auto expands = [&, begin = first, end = last](absl::string_view what) {
    return std::any_of(begin, end, [&](const auto& entry) { return entry.second == what; });
  };
  std::vector<std::string> entries;
  for (const ConnectorScene& one : scene.connectors) {
    const std::string name = Quoted(one.status.name);
    if (first == last) {
      entries.push_back(name);
      continue;
    }
    std::vector<std::string> parts;
    if (expands("info")) parts.push_back("\"info\":" + InfoJson(one.status.name));
    if (expands("status")) parts.push_back("\"status\":" + StatusOf(one));
    entries.push_back(absl::StrCat(name, ":{", absl::StrJoin(parts, ","), "}"));
  }
  const std::string inner = absl::StrJoin(entries, ",");
  const bool object = request.query.contains("expand");
  return Json(object ? absl::StrCat("{", inner, "}") : absl::StrCat("[", inner, "]"));
}

http::Response ConnectPages::OfConnector(const std::vector<std::string>& path,
                                         const Scene& scene) const {
  const std::string& name = path[1];
  const ConnectorScene* const one = Find(scene, name);
  const std::string what = absl::StrJoin(path.begin() + 2, path.end(), "/");
  const bool known = what.empty() || what == "config" || what == "status" || what == "tasks" ||
                     what == "tasks/0/status";
  if (!known) return NotFound();
  if (one == nullptr) {
    if (what == "status")
      return ConnectError(404, absl::StrCat("No status found for connector ", name));
    if (what == "tasks/0/status")
      return ConnectError(404, absl::StrCat("No status found for task ", name, "-0"));
    return ConnectError(404, absl::StrCat("Connector ", name, " not found"));
  }
  if (what == "config") return Json(ConfigJson(name, false));
  if (what == "status") return Json(StatusOf(*one));
  if (what == "tasks/0/status") return Json(TaskStatusOf(*one));
  if (what == "tasks") {
    return Json(absl::StrCat("[{\"id\":{\"connector\":", Quoted(name),
                             ",\"task\":0},\"config\":", ConfigJson(name, true), "}]"));
  }
  return Json(InfoJson(name));
}

std::string ConnectPages::ConfigJson(const std::string& name, bool of_task) const {
  std::vector<std::string> parts;
  if (const auto found = configs_.find(name); found != configs_.end()) {
    for (const auto& [key, value] : found->second)
      parts.push_back(absl::StrCat(Quoted(key), ":", Quoted(value)));
  }
  if (of_task)
    parts.push_back(absl::StrCat("\"task.class\":", Quoted(absl::StrCat(kClass, "Task"))));
  return absl::StrCat("{", absl::StrJoin(parts, ","), "}");
}

std::string ConnectPages::InfoJson(const std::string& name) const {
  return absl::StrCat("{\"name\":", Quoted(name), ",\"config\":", ConfigJson(name, false),
                      ",\"tasks\":[{\"connector\":", Quoted(name),
                      ",\"task\":0}],\"type\":\"source\"}");
}

// A task fails, its connector goes on as RUNNING. A stopped one has no task.
std::string ConnectPages::StatusOf(const ConnectorScene& one) const {
  const ConnectorState state = one.status.state;
  const ConnectorState shown = state == ConnectorState::kFailed ? ConnectorState::kRunning : state;
  const std::string tasks = state == ConnectorState::kStopped ? "" : TaskStatusOf(one);
  return absl::StrCat("{\"name\":", Quoted(one.status.name),
                      ",\"connector\":{\"state\":", Quoted(engine::StateText(shown)),
                      ",\"worker_id\":", Quoted(worker_),
                      ",\"version\":", Quoted(engine::LibraryVersions().debezium), "},\"tasks\":[",
                      tasks, "],\"type\":\"source\"}");
}

std::string ConnectPages::TaskStatusOf(const ConnectorScene& one) const {
  std::string json =
      absl::StrCat("{\"id\":0,\"state\":", Quoted(engine::StateText(one.status.state)),
                   ",\"worker_id\":", Quoted(worker_),
                   ",\"version\":", Quoted(engine::LibraryVersions().debezium));
  if (one.status.state == ConnectorState::kFailed)
    absl::StrAppend(
        &json, ",\"trace\":", Quoted(one.status.last_error ? TraceOf(*one.status.last_error) : ""));
  return json + "}";
}

}  // namespace walduct::admin
