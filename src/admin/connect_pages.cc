#include "admin/connect_pages.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "admin/connect_bodies.h"
#include "base/json.h"
#include "operate/commands/version.h"

namespace walduct::admin {
namespace {

using engine::ConnectorState;

constexpr absl::string_view kClass = "io.debezium.connector.postgresql.PostgresConnector";

http::Response Answer(std::string body) {
  return {.status = 200, .content_type = "application/json", .body = std::move(body)};
}

http::Response NoTask(const std::string& name) {
  return ConnectError(404, absl::StrCat("No status found for task ", name, "-0"));
}

http::Response NotFound() { return ConnectError(404, "HTTP 404 Not Found"); }

const ShownConnector* Find(const ProcessView& process, const std::string& name) {
  const auto found =
      std::find_if(process.connectors.begin(), process.connectors.end(),
                   [&](const ShownConnector& one) { return one.status.name == name; });
  return found == process.connectors.end() ? nullptr : &*found;
}

}  // namespace

http::Response ConnectError(int status, const std::string& message) {
  return {.status = status, .content_type = "application/json", .body = ErrorJson(status, message)};
}

http::Response ConnectPages::Get(const std::vector<std::string>& path, const http::Request& request,
                                 const ProcessView& process) const {
  if (path.empty()) return Answer(RootJson(""));
  if (path[0] == "connectors")
    return path.size() == 1 ? List(request, process) : OfConnector(path, process);
  if (path[0] == "connector-plugins" && path.size() == 1) {
    JsonWriter json;
    json.Array().Object().Key("class").Text(kClass).Key("type").Text("source");
    json.Key("version").Text(operate::LibraryVersions().debezium);
    return Answer(json.EndObject().EndArray().text());
  }
  return NotFound();
}

http::Response ConnectPages::List(const http::Request& request, const ProcessView& process) const {
  const std::optional<Expansion> expansion = ExpansionOf(request);
  std::vector<ListedConnector> listed;
  for (const ShownConnector& one : process.connectors) {
    const std::string& name = one.status.name;
    listed.push_back({.name = name,
                      .info = expansion && expansion->info ? InfoOf(name) : "",
                      .status = expansion && expansion->status ? StatusJson(ViewOf(one)) : ""});
  }
  return Answer(ListJson(listed, expansion.has_value()));
}

http::Response ConnectPages::OfConnector(const std::vector<std::string>& path,
                                         const ProcessView& process) const {
  const std::string& name = path[1];
  const ShownConnector* const one = Find(process, name);
  const std::string what = absl::StrJoin(path.begin() + 2, path.end(), "/");
  const bool known = what.empty() || what == "config" || what == "status" || what == "tasks" ||
                     what == "tasks/0/status";
  if (!known) return NotFound();
  if (one == nullptr) {
    if (what == "status")
      return ConnectError(404, absl::StrCat("No status found for connector ", name));
    if (what == "tasks/0/status") return NoTask(name);
    return ConnectError(404, absl::StrCat("Connector ", name, " not found"));
  }
  if (what == "config") return Answer(ConfigJson(name, false));
  if (what == "status") return Answer(StatusJson(ViewOf(*one)));
  if (what == "tasks/0/status") {
    const StatusView view = ViewOf(*one);
    return view.task ? Answer(TaskStatusJson(view)) : NoTask(name);
  }
  if (what == "tasks") return Answer(TasksJson(name, true, ConfigJson(name, true)));
  return Answer(InfoOf(name));
}

std::string ConnectPages::ConfigJson(const std::string& name, bool of_task) const {
  JsonWriter json;
  json.Object();
  if (const auto found = configs_.find(name); found != configs_.end()) {
    for (const auto& [key, value] : found->second) json.Key(key).Text(value);
  }
  if (of_task) json.Key("task.class").Text(absl::StrCat(kClass, "Task"));
  return json.EndObject().text();
}

std::string ConnectPages::InfoOf(const std::string& name) const {
  return InfoJson({.name = name, .config = ConfigJson(name, false)});
}

// A task fails, its connector goes on as RUNNING. A stopped one has no task.
StatusView ConnectPages::ViewOf(const ShownConnector& one) const {
  const ConnectorState state = one.status.state;
  const bool failed = state == ConnectorState::kFailed;
  StatusView view{
      .name = one.status.name,
      .state = std::string(engine::StateText(failed ? ConnectorState::kRunning : state)),
      .trace = {},
      .worker_id = worker_,
      .version = operate::LibraryVersions().debezium,
      .task = {}};
  if (state == ConnectorState::kStopped) return view;
  view.task = TaskView{.state = std::string(engine::StateText(state))};
  if (failed && one.status.last_error) view.task->trace = TraceOf(*one.status.last_error);
  return view;
}

}  // namespace walduct::admin
