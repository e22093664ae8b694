#include "rest/answers.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "admin/json.h"
#include "rest/topic_formats.h"

namespace walduct::rest {
namespace {

std::string ErrorJson(int status, absl::string_view message) {
  admin::Json json;
  json.Object().Key("error_code").Signed(status).Key("message").Text(message);
  return json.EndObject().text();
}

int HttpStatusOf(absl::StatusCode code) {
  switch (code) {
    case absl::StatusCode::kNotFound:
      return 404;
    case absl::StatusCode::kAlreadyExists:
    case absl::StatusCode::kAborted:
      return 409;
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kFailedPrecondition:
      return 400;
    default:
      return 500;
  }
}

void AddTaskStatus(const StatusView& view, admin::Json* json) {
  json->Object().Key("id").Signed(0).Key("state").Text(view.task->state);
  json->Key("worker_id").Text(view.worker_id).Key("version").Text(view.version);
  if (!view.task->trace.empty()) json->Key("trace").Text(view.task->trace);
  json->EndObject();
}

}  // namespace

http::Response Json(std::string body, int status) {
  return {.status = status, .content_type = "application/json", .body = std::move(body)};
}

http::Response Empty(int status) { return {.status = status}; }

http::Response ErrorAnswer(int status, absl::string_view message) {
  return Json(ErrorJson(status, message), status);
}

http::Response ErrorAnswer(const absl::Status& error) {
  return ErrorAnswer(HttpStatusOf(error.code()), error.message());
}

http::Response ConnectorNotFound(absl::string_view name) {
  return ErrorAnswer(404, absl::StrCat("Connector ", name, " not found"));
}

http::Response ContainerError(int status, absl::string_view reason) {
  return {.status = status, .body = ErrorJson(status, absl::StrCat("HTTP ", status, " ", reason))};
}

http::Response HtmlError(int status, absl::string_view title) {
  return {.status = status,
          .content_type = "text/html;charset=iso-8859-1",
          .body = absl::StrCat("<html>\n<head>\n<title>Error ", status, " ", title,
                               "</title>\n</head>\n<body>\n<h2>HTTP ERROR ", status, " ", title,
                               "</h2>\n</body>\n</html>\n")};
}

std::string InfoJson(const ConnectorView& view) {
  admin::Json json;
  json.Object().Key("name").Text(view.name).Key("config").Raw(ConfigJson(view.config));
  json.Key("tasks").Array();
  if (view.tasks > 0)
    json.Object().Key("connector").Text(view.name).Key("task").Signed(0).EndObject();
  json.EndArray().Key("type").Text(view.foreign ? "unknown" : "source");
  return json.EndObject().text();
}

std::string StatusJson(const StatusView& view) {
  admin::Json json;
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
  admin::Json json;
  AddTaskStatus(view, &json);
  return json.text();
}

std::string TasksJson(const ConnectorView& view) {
  admin::Json json;
  json.Array();
  if (view.tasks > 0) {
    json.Object().Key("id").Object().Key("connector").Text(view.name).Key("task").Signed(0);
    json.EndObject().Key("config").Raw(ConfigJson(TaskConfig(view.config))).EndObject();
  }
  return json.EndArray().text();
}

}  // namespace walduct::rest
