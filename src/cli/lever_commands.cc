#include <rapidjson/document.h>

#include <iostream>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/environment.h"
#include "base/error.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "cli/commands.h"
#include "cli/configuration.h"
#include "cli/running_process.h"
#include "engine/errors/error_policy.h"
#include "http/client.h"

namespace walduct::cli {
namespace {

constexpr absl::Duration kTimeout = absl::Seconds(30);
constexpr absl::Duration kBetweenLooks = absl::Milliseconds(200);

struct Lever {
  const char* method;
  const char* path;   // behind /connectors/NAME
  const char* state;  // what it leads to
};

Lever LeverOf(Command command) {
  switch (command) {
    case Command::kPause:
      return {.method = "PUT", .path = "/pause", .state = "PAUSED"};
    case Command::kResume:
      return {.method = "PUT", .path = "/resume", .state = "RUNNING"};
    case Command::kStop:
      return {.method = "PUT", .path = "/stop", .state = "STOPPED"};
    default:
      return {.method = "POST",
              .path = "/restart?includeTasks=true&onlyFailed=false",
              .state = "RUNNING"};
  }
}

std::string InPath(const std::string& name) {
  std::string path = "/connectors/";
  for (const char c : name) {
    const bool plain = absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' ||
                       c == '.' || c == '~';
    if (plain)
      path += c;
    else
      absl::StrAppendFormat(&path, "%%%02X", static_cast<unsigned char>(c));
  }
  return path;
}

// "message" of Connect's errors.
std::string MessageOf(const http::Response& answer) {
  rapidjson::Document body;
  body.Parse(answer.body.data(), answer.body.size());
  if (body.IsObject() && body.HasMember("message") && body["message"].IsString())
    return body["message"].GetString();
  return absl::StrCat("HTTP ", answer.status);
}

absl::Status Refusal(const http::Server& server, const http::Response& answer) {
  if (answer.status == 405) {
    return Error(absl::StatusCode::kFailedPrecondition, "process_takes_no_commands",
                 absl::StrCat("the process at ", http::WithoutLogin(server.url),
                              " runs its connectors by walduct run, which answers questions and "
                              "takes no commands"),
                 "stop and start the process; walduct serve takes commands");
  }
  return Error(absl::StatusCode::kFailedPrecondition, "command_refused", MessageOf(answer));
}

// The connector's state, or that of its task where that says more: a connector that failed has it
// there.
absl::StatusOr<std::string> StateOf(const http::Server& server, const std::string& name) {
  ASSIGN_OR_RETURN(const http::Response answer,
                   http::Get(server, absl::StrCat(InPath(name), "/status"), kTimeout));
  if (answer.status != 200) return Refusal(server, answer);
  rapidjson::Document body;
  body.Parse(answer.body.data(), answer.body.size());
  if (!body.IsObject() || !body.HasMember("connector") || !body["connector"].IsObject() ||
      !body["connector"].HasMember("state") || !body["connector"]["state"].IsString())
    return absl::UnavailableError("the answer is not Kafka Connect's");
  const rapidjson::Value& status = body;
  const auto tasks = status.FindMember("tasks");
  if (tasks != status.MemberEnd() && tasks->value.IsArray() && !tasks->value.Empty()) {
    const rapidjson::Value& task = tasks->value[0];
    if (task.IsObject() && task.HasMember("state") && task["state"].IsString())
      return std::string(task["state"].GetString());
  }
  return std::string(body["connector"]["state"].GetString());
}

absl::StatusOr<std::string> Pull(const Lever& lever, const http::Server& server,
                                 const std::string& name) {
  ASSIGN_OR_RETURN(const std::string before, StateOf(server, name));
  ASSIGN_OR_RETURN(
      const http::Response answer,
      http::Send(lever.method, server, absl::StrCat(InPath(name), lever.path), kTimeout));
  if (answer.status >= 300) return Refusal(server, answer);
  const Environment environment = Environment::Real();
  const absl::Duration until = environment.clock->Monotonic() + kTimeout;
  std::string state = before;
  do {
    environment.poller->WaitReadable({}, kBetweenLooks);
    ASSIGN_OR_RETURN(state, StateOf(server, name));
  } while (state != lever.state && state != "FAILED" && environment.clock->Monotonic() < until);
  if (state == lever.state) return absl::StrCat("was ", before, ", is ", state);
  return Error(absl::StatusCode::kFailedPrecondition, "command_without_effect",
               absl::StrCat(name, " was ", before, ", is ", state, ", and not ", lever.state),
               absl::StrCat("walduct status ", name, " says what it waits for"));
}

}  // namespace

absl::StatusOr<std::string> AskToSkip(const http::Server& server, const std::string& name,
                                      const std::string& change) {
  ASSIGN_OR_RETURN(const http::Response answer,
                   http::Send("POST", server, absl::StrCat(InPath(name), "/skip"), kTimeout,
                              absl::StrCat("{\"change\":\"", change, "\"}")));
  if (answer.status >= 300) return Refusal(server, answer);
  return absl::StrCat(MessageOf(answer), "; restarting");
}

int PullLever(const Arguments& arguments) {
  const absl::StatusOr<std::string> done =
      Pull(LeverOf(arguments.command), ServerOf(arguments), arguments.connector);
  if (!done.ok()) return PrintStatus(done.status());
  std::cout << PlainText(arguments.connector) << ": " << *done << "\n";
  return engine::kExitClean;
}

}  // namespace walduct::cli
