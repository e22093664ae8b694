#include "serve/rest/answers.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "admin/connect_bodies.h"
#include "base/error.h"
#include "serve/topics/topic_formats.h"

namespace walduct::serve {
namespace {

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

}  // namespace

http::Response Json(std::string body, int status) {
  return {.status = status, .content_type = "application/json", .body = std::move(body)};
}

http::Response Empty(int status) { return {.status = status}; }

http::Response ErrorAnswer(int status, absl::string_view message) {
  return Json(admin::ErrorJson(status, message), status);
}

// Connect answers 500 after it has waited for Kafka for 90 s.
http::Response ErrorAnswer(const absl::Status& error) {
  const std::string reason = ErrorReason(error);
  const bool is_away = reason == "kafka_away" || reason == "change_not_acknowledged" ||
                       reason == "worker_topic_empty" || reason == "broker_unavailable";
  return ErrorAnswer(is_away ? 503 : HttpStatusOf(error.code()), error.message());
}

http::Response ConnectorNotFound(absl::string_view name) {
  return ErrorAnswer(404, absl::StrCat("Connector ", name, " not found"));
}

http::Response ContainerError(int status, absl::string_view reason) {
  return {.status = status,
          .body = admin::ErrorJson(status, absl::StrCat("HTTP ", status, " ", reason))};
}

http::Response HtmlError(int status, absl::string_view title) {
  return {.status = status,
          .content_type = "text/html;charset=iso-8859-1",
          .body = absl::StrCat("<html>\n<head>\n<title>Error ", status, " ", title,
                               "</title>\n</head>\n<body>\n<h2>HTTP ERROR ", status, " ", title,
                               "</h2>\n</body>\n</html>\n")};
}

std::string InfoJson(const ConnectorView& view) {
  return admin::InfoJson({.name = view.name,
                          .config = ConfigJson(view.config),
                          .has_task = view.tasks > 0,
                          .type = view.foreign ? "unknown" : "source"});
}

std::string TasksJson(const ConnectorView& view) {
  return admin::TasksJson(view.name, view.tasks > 0, ConfigJson(TaskConfig(view.config)));
}

}  // namespace walduct::serve
