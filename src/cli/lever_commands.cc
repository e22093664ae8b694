#include <rapidjson/document.h>

#include <algorithm>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/environment.h"
#include "base/error.h"
#include "base/json.h"
#include "base/percent.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "cli/commands.h"
#include "cli/configuration.h"
#include "cli/running_process.h"
#include "engine/configuration/skipped_rows.h"
#include "engine/errors/error_policy.h"
#include "http/client.h"
#include "http/message.h"

namespace walduct::cli {
namespace {

// Longer than a worker waits for Kafka.
constexpr absl::Duration kTimeout = absl::Seconds(45);
constexpr absl::Duration kBetweenLooks = absl::Milliseconds(200);
constexpr absl::Duration kLasts = absl::Seconds(1);
// What still starts then is said to.
constexpr absl::Duration kStarts = absl::Seconds(10);

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

absl::Status Refusal(const http::Server& server, const http::Response& answer) {
  if (answer.status == 405) {
    return Error(absl::StatusCode::kFailedPrecondition, "process_takes_no_commands",
                 absl::StrCat("the process at ", http::WithoutLogin(server.url),
                              " runs its connectors by walduct run, which answers questions and "
                              "takes no commands"),
                 "stop and start the process; walduct serve takes commands");
  }
  return Error(absl::StatusCode::kFailedPrecondition, "command_refused",
               MessageIn(answer.body, answer.status));
}

// The first of an array that is a member.
const rapidjson::Value* FirstOf(const rapidjson::Value& object, const char* name) {
  const rapidjson::Value* const found = json::FindArray(object, name);
  return found == nullptr || found->Empty() ? nullptr : &(*found)[0];
}

// The connector's state, or that of its task where that says more: a connector that failed has it
// there.
struct State {
  std::string word;
  std::string trace;
};

absl::StatusOr<State> StateOf(const http::Server& server, const std::string& name) {
  ASSIGN_OR_RETURN(const http::Response answer,
                   http::Get(server, absl::StrCat(InPath(name), "/status"), kTimeout));
  if (answer.status == 404) return UnknownConnector(server, name);
  if (answer.status != 200) return Refusal(server, answer);
  const rapidjson::Document body = json::Parse(answer.body);
  const rapidjson::Value* const connector = json::Find(body, "connector");
  std::string word = connector == nullptr ? "" : json::TextIn(*connector, "state");
  if (word.empty()) return absl::UnavailableError("the answer is not Kafka Connect's");
  const rapidjson::Value* const task = FirstOf(body, "tasks");
  if (task != nullptr && !json::TextIn(*task, "state").empty())
    return State{.word = json::TextIn(*task, "state"), .trace = json::TextIn(*task, "trace")};
  return State{.word = std::move(word), .trace = {}};
}

// What it says of what it does; nothing when it does what it is for.
struct Doing {
  bool starts = false;  // its state may change by itself any moment
  std::string text;
};

Doing DoingOf(const http::Server& server, const std::string& name) {
  const std::string path = absl::StrCat("/status?connector=", EncodePercent(name));
  const absl::StatusOr<http::Response> answer = http::Get(server, path, kTimeout);
  if (!answer.ok() || answer->status != 200) return {};
  const rapidjson::Document body = json::Parse(answer->body);
  const rapidjson::Value* const one = FirstOf(body, "connectors");
  const std::string activity = one == nullptr ? "" : json::TextIn(*one, "activity");
  if (activity.empty() || activity == "streaming" || activity == "snapshotting") return {};
  Doing doing{.starts = activity != "retrying", .text = activity == "none" ? "" : activity};
  if (const std::string wait = json::TextIn(*one, "waiting_for"); !wait.empty() && doing.starts)
    absl::StrAppend(&doing.text, doing.text.empty() ? "" : ", ", "waiting for ", wait);
  if (!doing.starts && one->HasMember("last_error"))
    absl::StrAppend(&doing.text, ": ", json::TextIn((*one)["last_error"], "message"));
  return doing;
}

// A trace as admin::TraceOf writes it: message, hint and reason, a line each.
absl::Status Failed(const http::Server& server, const std::string& name, const std::string& before,
                    const std::string& trace) {
  std::string message, hint;
  for (absl::string_view line : absl::StrSplit(trace, '\n', absl::SkipEmpty())) {
    if (absl::ConsumePrefix(&line, "Hint: ")) {
      hint = std::string(line);
    } else if (message.empty()) {
      absl::ConsumePrefix(&line, "org.apache.kafka.connect.errors.ConnectException: ");
      message = std::string(line);
    }
  }
  if (hint.empty()) hint = absl::StrCat(Typed(server, "status", name), " says more");
  return Error(absl::StatusCode::kFailedPrecondition, "command_without_effect",
               absl::StrCat(name, " was ", before, ", is FAILED: ", message), hint);
}

absl::Status Rests(const http::Server& server, const std::string& name, const std::string& state) {
  return Error(absl::StatusCode::kFailedPrecondition, "command_without_effect",
               absl::StrCat(name, " is ", state,
                            ", and stays so: a restart begins anew what runs, and a failure of "
                            "before is forgotten"),
               absl::StrCat(Typed(server, "resume", name), " starts it"));
}

// The state that lasts: what begins may fail at once.
absl::StatusOr<std::string> Pull(const Lever& lever, const http::Server& server,
                                 const std::string& name) {
  // Kafka Connect takes the same: a connector that runs there is not the one that is meant.
  RETURN_IF_ERROR(CheckWalduct(server));
  ASSIGN_OR_RETURN(const State before, StateOf(server, name));
  ASSIGN_OR_RETURN(
      const http::Response answer,
      http::Send(lever.method, server, absl::StrCat(InPath(name), lever.path), kTimeout));
  if (answer.status >= 300) return Refusal(server, answer);
  const Environment environment = Environment::Real();
  const bool restarts = lever.method == absl::string_view("POST");
  const absl::Duration begin = environment.clock->Monotonic();
  absl::Duration since = begin;  // the state is what it is
  State state;
  Doing doing;
  do {
    environment.poller->WaitReadable({}, kBetweenLooks);
    ASSIGN_OR_RETURN(State now, StateOf(server, name));
    const absl::Duration lasted = environment.clock->Monotonic() - since;
    if (std::exchange(state, std::move(now)).word != state.word) {
      since += lasted;
      continue;
    }
    // It begins what runs; what rests goes on resting.
    if (restarts && (state.word == "PAUSED" || state.word == "STOPPED") && lasted >= kLasts)
      return Rests(server, name, state.word);
    const bool failed = state.word == "FAILED";
    // What had failed before may not have taken the command yet.
    if (failed && lasted >= (before.word == "FAILED" ? 3 * kLasts : kLasts)) break;
    if (failed || state.word != lever.state || lasted < kLasts) continue;
    doing = absl::string_view(lever.state) == "RUNNING" ? DoingOf(server, name) : Doing();
    if (!doing.starts || lasted >= kStarts) break;
  } while (environment.clock->Monotonic() - begin < kTimeout);
  if (state.word == "FAILED") return Failed(server, name, before.word, state.trace);
  if (state.word == lever.state) {
    return absl::StrCat("was ", before.word, ", is ", state.word, doing.text.empty() ? "" : ", ",
                        doing.text);
  }
  return Error(
      absl::StatusCode::kFailedPrecondition, "command_without_effect",
      absl::StrCat(name, " was ", before.word, ", is ", state.word, ", and not ", lever.state),
      absl::StrCat(Typed(server, "status", name), " says what it waits for"));
}

}  // namespace

absl::StatusOr<std::string> AskToSkipRow(const http::Server& server, const std::string& name,
                                         const std::string& table, const std::string& key) {
  constexpr char kRows[] = "walduct.snapshot.skip.rows";
  RETURN_IF_ERROR(CheckWalduct(server));
  ASSIGN_OR_RETURN(const engine::SkippedRow row, engine::ParseSkippedRow(table, key));
  ASSIGN_OR_RETURN(const http::Response config,
                   http::Send("GET", server, InPath(name) + "/config", kTimeout));
  if (config.status == 404) return UnknownConnector(server, name);
  if (config.status >= 300) return Refusal(server, config);
  ASSIGN_OR_RETURN(std::vector<engine::SkippedRow> rows,
                   engine::ParseSkippedRows(json::TextIn(json::Parse(config.body), kRows)));
  if (std::find(rows.begin(), rows.end(), row) == rows.end()) rows.push_back(row);
  JsonWriter body;
  body.Object().Key(kRows).Text(engine::PrintSkippedRows(rows)).EndObject();
  ASSIGN_OR_RETURN(const http::Response answer,
                   http::Send("PATCH", server, InPath(name) + "/config", kTimeout, body.text()));
  if (answer.status >= 300) return Refusal(server, answer);
  return absl::StrCat("snapshots leave the row of ", table, " with the key ", engine::PrintKey(row),
                      " out where it cannot be published (", kRows, "); it begins again");
}

absl::StatusOr<std::string> AskToSkip(const http::Server& server, const std::string& name,
                                      const std::string& change) {
  ASSIGN_OR_RETURN(const http::Response answer,
                   http::Send("POST", server, absl::StrCat(InPath(name), "/skip"), kTimeout,
                              absl::StrCat("{\"change\":\"", change, "\"}")));
  if (answer.status >= 300) return Refusal(server, answer);
  return absl::StrCat(MessageIn(answer.body, answer.status), "; restarting");
}

int PullLever(const Arguments& arguments) {
  const absl::StatusOr<std::string> done =
      Pull(LeverOf(arguments.command), ServerOf(arguments), arguments.connector);
  if (!done.ok()) return TellLastEnd(arguments, done.status());
  std::cout << PlainText(arguments.connector) << ": " << *done << "\n";
  return engine::kExitClean;
}

}  // namespace walduct::cli
