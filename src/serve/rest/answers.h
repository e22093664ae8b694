// What Connect's REST interface answers: bodies, codes and errors as Connect 4.3 writes them. Pure.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "http/message.h"
#include "serve/worker/views.h"

namespace walduct::serve {

http::Response Json(std::string body, int status = 200);
http::Response Empty(int status);
// {"error_code":404,"message":"…"}
http::Response ErrorAnswer(int status, absl::string_view message);
// By the code of the status, which is not OK.
http::Response ErrorAnswer(const absl::Status& error);
http::Response ConnectorNotFound(absl::string_view name);
// The same from the container in front of Connect, which names no type of its content.
http::Response ContainerError(int status, absl::string_view reason);
http::Response HtmlError(int status, absl::string_view title);

std::string InfoJson(const ConnectorView& view);
using admin::StatusJson;
using admin::TaskStatusJson;
std::string TasksJson(const ConnectorView& view);

}  // namespace walduct::serve
