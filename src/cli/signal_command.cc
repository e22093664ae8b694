#include <iostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/environment.h"
#include "base/json_text.h"
#include "cli/commands.h"
#include "cli/configuration.h"
#include "engine/commands/signal_commands.h"
#include "engine/errors/error_policy.h"

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

}  // namespace

int SendSignal(const Arguments& arguments) {
  ConfigureLog(arguments);
  bool good = false;
  const std::string data = DataOf(arguments.signal, &good);
  if (!good) return Refuse("--filter: write TABLE=SQL, as in --filter \"public.orders=id > 10\"");
  const Environment environment = Environment::Real();
  return ForEachSignalReader(arguments, [&](const std::string& name, const auto& reader) -> int {
    std::string id = arguments.signal.id;
    if (id.empty()) id = engine::NewSignalId(*environment.clock);
    const absl::StatusOr<std::string> where =
        engine::SendSignal(reader, arguments.signal.via,
                           {.id = id, .type = arguments.signal.type, .data = data}, environment);
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
