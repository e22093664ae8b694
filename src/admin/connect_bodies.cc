#include "admin/connect_bodies.h"

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "operate/commands/version.h"

namespace walduct::admin {
namespace {

void AddTaskStatus(const StatusView& view, JsonWriter* json) {
  json->Object().Key("id").Signed(0).Key("state").Text(view.task->state);
  json->Key("worker_id").Text(view.worker_id).Key("version").Text(view.version);
  if (!view.task->trace.empty()) json->Key("trace").Text(view.task->trace);
  json->EndObject();
}

}  // namespace

std::string RootJson(absl::string_view cluster_id) {
  JsonWriter json;
  json.Object().Key("version").Text(kConnectVersion).Key("commit");
  json.Text(absl::StrCat("walduct-", operate::LibraryVersions().walduct));
  return json.Key("kafka_cluster_id").Text(cluster_id).EndObject().text();
}

std::optional<Expansion> ExpansionOf(const http::Request& request) {
  const auto [first, last] = request.query.equal_range("expand");
  if (first == last) return std::nullopt;
  Expansion expansion;
  for (auto asked = first; asked != last; ++asked) {
    expansion.info = expansion.info || asked->second == "info";
    expansion.status = expansion.status || asked->second == "status";
  }
  return expansion;
}

std::string ListJson(const std::vector<ListedConnector>& connectors, bool expanded) {
  JsonWriter json;
  if (!expanded) {
    json.Array();
    for (const ListedConnector& one : connectors) json.Text(one.name);
    return json.EndArray().text();
  }
  json.Object();
  for (const ListedConnector& one : connectors) {
    json.Key(one.name).Object();
    if (!one.status.empty()) json.Key("status").Raw(one.status);
    if (!one.info.empty()) json.Key("info").Raw(one.info);
    json.EndObject();
  }
  return json.EndObject().text();
}

std::string InfoJson(const InfoView& view) {
  JsonWriter json;
  json.Object().Key("name").Text(view.name).Key("config").Raw(view.config);
  json.Key("tasks").Array();
  if (view.has_task)
    json.Object().Key("connector").Text(view.name).Key("task").Signed(0).EndObject();
  json.EndArray().Key("type").Text(view.type);
  return json.EndObject().text();
}

std::string StatusJson(const StatusView& view) {
  JsonWriter json;
  json.Object().Key("name").Text(view.name).Key("connector").Object();
  json.Key("state").Text(view.state).Key("worker_id").Text(view.worker_id);
  json.Key("version").Text(view.version);
  if (!view.trace.empty()) json.Key("trace").Text(view.trace);
  json.EndObject().Key("tasks").Array();
  if (view.task) AddTaskStatus(view, &json);
  json.EndArray().Key("type").Text(view.version.empty() ? "unknown" : "source");
  return json.EndObject().text();
}

std::string TaskStatusJson(const StatusView& view) {
  JsonWriter json;
  AddTaskStatus(view, &json);
  return json.text();
}

std::string TasksJson(absl::string_view name, bool has_task, const std::string& task_config) {
  JsonWriter json;
  json.Array();
  if (has_task) {
    json.Object().Key("id").Object().Key("connector").Text(name).Key("task").Signed(0);
    json.EndObject().Key("config").Raw(task_config).EndObject();
  }
  return json.EndArray().text();
}

std::string ErrorJson(int status, absl::string_view message) {
  JsonWriter json;
  json.Object().Key("error_code").Signed(status).Key("message").Text(message);
  return json.EndObject().text();
}

std::string TraceOf(const engine::ConnectorError& error) {
  return absl::StrCat(error.message, error.hint.empty() ? "" : "\nHint: ", error.hint,
                      error.reason.empty() ? "" : "\nReason: ", error.reason);
}

}  // namespace walduct::admin
