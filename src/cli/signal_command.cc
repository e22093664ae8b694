#include <rapidjson/document.h>

#include <iostream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/environment.h"
#include "base/error.h"
#include "base/json.h"
#include "base/json_text.h"
#include "base/percent.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "cli/commands.h"
#include "cli/configuration.h"
#include "cli/running_process.h"
#include "engine/errors/error_policy.h"
#include "http/client.h"
#include "http/message.h"
#include "operate/commands/signal_commands.h"

namespace walduct::cli {
namespace {

std::string Json(absl::string_view text) {
  std::string json;
  AppendJsonString(text, &json);
  return json;
}

// False: a condition has no table.
bool AppendConditions(const std::vector<std::string>& filters, std::string* data) {
  if (filters.empty()) return true;
  std::string list;
  for (const std::string& filter : filters) {
    const std::pair<std::string, std::string> parts =
        absl::StrSplit(filter, absl::MaxSplits('=', 1));
    if (parts.first.empty() || parts.second.empty()) return false;
    absl::StrAppend(&list, list.empty() ? "" : ",", "{\"data-collection\":", Json(parts.first),
                    ",\"filter\":", Json(parts.second), "}");
  }
  absl::StrAppend(data, ",\"additional-conditions\":[", list, "]");
  return true;
}

// As the type asks for it.
std::string DataOf(const Arguments::Signal& signal, bool* good) {
  *good = true;
  if (signal.type == "log") return absl::StrCat("{\"message\":", Json(signal.message), "}");
  std::string data =
      absl::StrCat("{\"type\":\"", signal.blocking ? "blocking" : "incremental", "\"");
  if (!signal.tables.empty()) {
    std::string list;
    for (const std::string& table : signal.tables)
      absl::StrAppend(&list, list.empty() ? "" : ",", Json(table));
    absl::StrAppend(&data, ",\"data-collections\":[", list, "]");
  }
  *good = AppendConditions(signal.filters, &data);
  if (!signal.surrogate_key.empty())
    absl::StrAppend(&data, ",\"surrogate-key\":", Json(signal.surrogate_key));
  return data + "}";
}

constexpr absl::Duration kPatience = absl::Minutes(1);

// By the process that runs it.
absl::Status AskProcess(const Arguments& arguments, const std::string& name,
                        const std::string& data) {
  const http::Server server = ServerOf(arguments);
  std::string body = absl::StrCat("{\"type\":", Json(arguments.signal.type), ",\"data\":", data);
  if (!arguments.signal.id.empty()) absl::StrAppend(&body, ",\"id\":", Json(arguments.signal.id));
  ASSIGN_OR_RETURN(
      const http::Response answer,
      http::Send("POST", server, absl::StrCat("/connectors/", EncodePercent(name), "/signal"),
                 kPatience, body + "}"));
  if (answer.status == 404) return UnknownConnector(server, name);
  if (answer.status >= 300) {
    return Error(absl::StatusCode::kFailedPrecondition, "command_refused",
                 MessageIn(answer.body, answer.status));
  }
  const rapidjson::Document said = json::Parse(answer.body);
  const auto text = [&said](const char* member) { return PlainText(json::TextIn(said, member)); };
  std::cout << PlainText(name) << ": " << arguments.signal.type << " " << text("id") << " in "
            << text("written_to") << "\n";
  return absl::OkStatus();
}

}  // namespace

int SendSignal(const Arguments& arguments) {
  ConfigureLog(arguments);
  bool good = false;
  const std::string data = DataOf(arguments.signal, &good);
  if (!good) return Refuse("--filter: write TABLE=SQL, as in --filter \"public.orders=id > 10\"");
  const bool by_name = !arguments.connector.empty();
  if (by_name != arguments.connector_files.empty())
    return Refuse("signal: name the connector of a running process, or -f (and -w)");
  if (by_name && arguments.signal.via != operate::SignalVia::kAny)
    return Refuse("--channel: the process chooses the channel; with -f it can be named");
  if (by_name) return TellLastEnd(arguments, AskProcess(arguments, arguments.connector, data));
  const Environment environment = Environment::Real();
  return ForEachSignalReader(arguments, [&](const std::string& name, const auto& reader) -> int {
    std::string id = arguments.signal.id;
    if (id.empty()) id = operate::NewSignalId(*environment.clock);
    const absl::StatusOr<std::string> where =
        operate::SendSignal(reader, arguments.signal.via,
                            {.id = id, .type = arguments.signal.type, .data = data}, environment);
    // Without a channel the process is told, where it listens.
    if (ErrorReason(where.status()) == "signal_no_channel" &&
        arguments.signal.via == operate::SignalVia::kAny) {
      Arguments there = WithListenerOfFiles(arguments);
      there.signal.id = id;
      return TellLastEnd(there, AskProcess(there, name, data));
    }
    if (absl::IsInvalidArgument(where.status())) {
      PrintStatus(where.status());
      return engine::kExitConfiguration;
    }
    if (!where.ok()) return PrintStatus(where.status());
    std::cout << name << ": " << arguments.signal.type << " " << id << " in " << *where << "\n";
    return engine::kExitClean;
  });
}

}  // namespace walduct::cli
