#include "cli/configuration.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <memory>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/documents.h"
#include "base/error.h"
#include "base/log.h"
#include "base/plain_text.h"
#include "base/shell_word.h"
#include "cli/process/called_by.h"
#include "cli/process/last_end.h"
#include "cli/running_process.h"
#include "cli/usage/tones.h"
#include "engine/configuration/connector_names.h"
#include "engine/configuration/options_of.h"
#include "engine/configuration/runtime_options.h"
#include "engine/configuration/shared_prefixes.h"
#include "engine/errors/error_policy.h"
#include "http/listen_properties.h"
#include "kafka/options.h"
#include "loader/load_connector.h"
#include "operate/commands/client_environment.h"
#include "operate/commands/signal_reader_of.h"
#include "operate/doctor/doctor_report.h"
#include "serve/load_worker.h"
#include "slot/lanes/lanes.h"

namespace walduct::cli {
namespace {

// key=value, split at the first '='.
bool ParseOverrides(const Arguments& arguments,
                    std::vector<std::pair<std::string, std::string>>* overrides) {
  for (const std::string& text : arguments.overrides) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      Refuse("-o '" + text + "': expected key=value");
      return false;
    }
    overrides->emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return true;
}

// What streams says so in its log; to who asks for something at once it is of no use.
bool Streams(Command command) {
  return command == Command::kRun || command == Command::kTail || command == Command::kRecord ||
         command == Command::kShadow || command == Command::kRecoverRun ||
         command == Command::kRecoverRead || command == Command::kReplay;
}

// Of a command that listens itself; MakeRequest has given it the place as it is typed.
bool Listens(Command command) {
  return command == Command::kRun || command == Command::kShadow ||
         command == Command::kRecoverRun || command == Command::kRecoverRead ||
         command == Command::kReplay;
}

// Where the process answers that runs it by its files. Empty: nowhere that is known.
std::string PlaceOf(const Arguments& arguments, const loader::LoadResult& result) {
  const std::string by_files = result.listen
                                   ? absl::StrCat(result.listen->tls == nullptr ? "" : "https://",
                                                  result.listen->address.ToString())
                                   : "";
  const std::string listen =
      Listens(arguments.command) ? by_files : ListenOfProcess(arguments, by_files);
  const bool known = !listen.empty() && !absl::EndsWith(listen, ":0");
  return known ? UrlOfListener(listen) : "";
}

// As it was typed: what the environment says, it says the next time, too.
std::string ListenFlag(const Arguments& arguments) {
  const bool typed = arguments.command == Command::kRun && arguments.listen_typed;
  return typed ? absl::StrCat("--listen ", ShellWord(arguments.listen)) : "";
}

}  // namespace

// The environment is that of the process, too, and wins over its files there.
std::string ListenOfProcess(const Arguments& arguments, const std::string& by_files) {
  if (!arguments.listen.empty()) return arguments.listen;
  const bool typed =
      std::any_of(arguments.overrides.begin(), arguments.overrides.end(),
                  [](const std::string& one) { return one.starts_with("walduct.listen="); });
  const char* const there = std::getenv("WALDUCT_LISTEN");
  return typed || there == nullptr || *there == '\0' ? by_files : there;
}

std::string LoginFile() {
  constexpr absl::string_view kFlag = "-Djava.security.auth.login.config=";
  const char* const options = std::getenv("KAFKA_OPTS");
  for (const absl::string_view flag :
       absl::StrSplit(options == nullptr ? "" : options, ' ', absl::SkipEmpty())) {
    if (absl::StartsWith(flag, kFlag)) return std::string(flag.substr(kFlag.size()));
  }
  return "";
}

int Refuse(const std::string& error) {
  std::cerr << Toned(HasColours(STDERR_FILENO), Tone::kBad, "error:") << " "
            << WithDocuments(PlainText(error)) << "\n";
  return engine::kExitConfiguration;
}

int PrintStatus(const absl::Status& status) {
  if (status.ok()) return engine::kExitClean;
  Refuse(std::string(status.message()));
  if (const std::string hint = ErrorHint(status); !hint.empty())
    std::cerr << "hint: " << WithDocuments(PlainText(hint)) << "\n";
  return status.code() == absl::StatusCode::kInvalidArgument ? engine::kExitConfiguration
                                                             : engine::ExitCodeFor(status);
}

void ConfigureLog(const Arguments& arguments) {
  const auto level = arguments.log_level == "debug"   ? log::Level::kDebug
                     : arguments.log_level == "warn"  ? log::Level::kWarn
                     : arguments.log_level == "error" ? log::Level::kError
                                                      : log::Level::kInfo;
  log::Configure(level, arguments.log_format == "json" ? log::Format::kJson : log::Format::kText);
}

std::optional<config::LoadRequest> MakeRequest(const Arguments& arguments) {
  config::LoadRequest request;
  if (!arguments.worker_file.empty()) {
    request.worker_path = arguments.worker_file;
    request.worker_called = KeptWorkerFile(arguments.worker_file);
  }
  request.texts = TextsReadOnce(arguments.worker_file, arguments.connector_files);
  request.reaches_kafka =
      arguments.command != Command::kTail && arguments.command != Command::kRecord;
  if (!ParseOverrides(arguments, &request.overrides)) return std::nullopt;
  if (!Listens(arguments.command) || arguments.listen.empty()) return request;
  if (const absl::Status place = http::ParseListen(arguments.listen).status(); !place.ok()) {
    Refuse(absl::StrCat(arguments.listen_typed ? "--listen" : "WALDUCT_LISTEN", " '",
                        arguments.listen, "': ", place.message()));
    return std::nullopt;
  }
  request.overrides.emplace_back("walduct.listen", arguments.listen);
  return request;
}

namespace {

// What a refused configuration says and nobody reads: often why something is missing.
void PrintUnread(const std::string& file, const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) {
    if (absl::StrContains(warning, "has no effect") ||
        absl::StrContains(warning, "unknown property"))
      std::cerr << "warning: " << WithDocuments(PlainText(absl::StrCat(file, ": ", warning)))
                << "\n";
  }
}

// Commands that read by a slot of their own, beside the connector. False: it has none, which has
// been printed.
bool CheckLooksBySlot(const Arguments& arguments, const loader::LoadResult& result) {
  static constexpr std::pair<Command, absl::string_view> kBySlot[] = {
      {Command::kTail, "tail"},
      {Command::kRecord, "record"},
      {Command::kShadow, "shadow"},
      {Command::kReplay, "replay"},
      {Command::kRecoverPlan, "recover plan"},
      {Command::kRecoverRun, "recover run"},
      {Command::kRecoverRead, "recover read"}};
  const auto* const found =
      std::find_if(std::begin(kBySlot), std::end(kBySlot),
                   [&](const auto& one) { return one.first == arguments.command; });
  if (found == std::end(kBySlot) || engine::ReadsSlot(result.options)) return true;
  Refuse(absl::StrCat(
      "walduct.outbox.source=poll: walduct ", found->second,
      " reads by a replication slot, and a connector that polls has none: polling marks or deletes "
      "what it reads, so that the connector itself would not publish it"));
  const bool looks = arguments.command == Command::kTail || arguments.command == Command::kRecord ||
                     arguments.command == Command::kShadow;
  std::cerr << (looks ? "hint: add -o walduct.outbox.source=slot, which changes no row, where "
                        "wal_level is logical and the role may replicate; else SELECT shows rows "
                        "that are not published, and a consumer of the topics those that are\n"
                      : "hint: rows that are not published are still in the outbox tables: start "
                        "the connector\n");
  return false;
}

void WarnOfSharedPrefixes(std::vector<loader::LoadResult>* results) {
  engine::SharedPrefixes prefixes;
  for (const loader::LoadResult& result : *results) prefixes.Add(engine::NamesOf(result.options));
  for (loader::LoadResult& result : *results) {
    const std::string text = prefixes.TextOf(engine::NamesOf(result.options));
    if (!text.empty()) result.warnings.push_back(absl::StrCat(operate::kOfPrefix, text));
  }
}

// Where a worker listens, by its file; empty: it is none of a worker's, or nowhere. "HOST:PORT", or
// "https://…".
std::string ListenOfWorker(const config::LoadRequest& request) {
  if (!request.worker_path) return "";
  const serve::WorkerResult worker = serve::LoadWorker(request);
  if (!worker.errors.empty() || worker.options.listeners.empty()) return "";
  const access::ListenerOptions& first = worker.options.listeners.front();
  return absl::StrCat(first.tls == nullptr ? "" : "https://", first.address.ToString());
}

}  // namespace

bool LoadAll(const Arguments& arguments, std::vector<loader::LoadResult>* results) {
  std::optional<config::LoadRequest> request = MakeRequest(arguments);
  if (!request) return false;
  bool accepted = true;
  // What is done beside a connector of walduct serve, with its files.
  const std::string worker = arguments.command == Command::kRun ? "" : ListenOfWorker(*request);
  for (const std::string& file : arguments.connector_files) {
    request->connector_path = file;
    results->push_back(loader::LoadConnector(*request, LoginFile()));
    names::Called& called = results->back().options.runtime->called;
    called = CalledByFiles(
        {.connector = file, .worker = arguments.worker_file, .overrides = arguments.overrides},
        results->back());
    called.listens = PlaceOf(arguments, results->back());
    if (called.listens.empty() && !worker.empty()) called.listens = UrlOfListener(worker);
    called.flags = ListenFlag(arguments);
    for (const std::string& error : results->back().errors) Refuse(absl::StrCat(file, ": ", error));
    if (!results->back().errors.empty()) PrintUnread(file, results->back().warnings);
    accepted =
        accepted && results->back().errors.empty() && CheckLooksBySlot(arguments, results->back());
  }
  operate::IgnoreClientEnvironment(Streams(arguments.command));
  if (accepted) WarnOfSharedPrefixes(results);
  return accepted;
}

bool LoadOne(const Arguments& arguments, loader::LoadResult* result) {
  if (arguments.connector_files.size() > 1) {
    Refuse("one connector at a time: give -f once");
    return false;
  }
  std::vector<loader::LoadResult> results;
  if (!LoadAll(arguments, &results)) return false;
  *result = std::move(results.front());
  return true;
}

bool LoadReports(const Arguments& arguments, std::vector<config::LoadReport>* reports) {
  std::vector<loader::LoadResult> results;
  if (!LoadAll(arguments, &results)) return false;
  for (loader::LoadResult& result : results) reports->push_back(std::move(result));
  return true;
}

std::shared_ptr<const kafka::KafkaOptions> LoadKafka(const Arguments& arguments,
                                                     bool* routes_events) {
  loader::LoadResult result;
  if (!LoadOne(arguments, &result)) return nullptr;
  *routes_events =
      std::any_of(result.properties.begin(), result.properties.end(), [](const auto& one) {
        return one.name == "walduct.outbox.tables" ||
               (absl::EndsWith(one.name, ".type") && absl::EndsWith(one.value, ".EventRouter"));
      });
  return std::make_shared<const kafka::KafkaOptions>(*result.options.kafka);
}

Arguments WithListenerOfFiles(Arguments arguments) {
  if (!arguments.url.empty() || !arguments.listen.empty()) return arguments;
  std::optional<config::LoadRequest> request = MakeRequest(arguments);
  if (!request) return arguments;
  for (const std::string& file : arguments.connector_files) {
    request->connector_path = file;
    for (const config::PropertyReport& one : loader::LoadConnector(*request).properties) {
      if (one.name == "walduct.listen" && arguments.listen.empty()) arguments.listen = one.value;
    }
  }
  if (arguments.connector_files.empty()) arguments.listen = ListenOfWorker(*request);
  return arguments;
}

int ForEachConnector(
    const Arguments& arguments,
    const std::function<int(const std::string&, const engine::ConnectorOptions&)>& then) {
  std::vector<loader::LoadResult> results;
  if (!LoadAll(arguments, &results)) return engine::kExitConfiguration;
  for (const loader::LoadResult& result : results) {
    const int code = then(result.options.name, result.options);
    if (code != engine::kExitClean) return code;
  }
  return engine::kExitClean;
}

int ForEachSignalReader(
    const Arguments& arguments,
    const std::function<int(const std::string&, const operate::SignalReader&)>& then) {
  return ForEachConnector(arguments, [&](const std::string& name, const auto& options) {
    return then(name, operate::SignalReaderOf(options));
  });
}

std::vector<engine::ConnectorOptions> AllLanes(const std::vector<loader::LoadResult>& results) {
  std::vector<engine::ConnectorOptions> all;
  for (const loader::LoadResult& result : results) {
    for (engine::ConnectorOptions& lane : slot::LanesOf(result.options))
      all.push_back(std::move(lane));
  }
  return all;
}

bool ForEachLane(const Arguments& arguments, const ThenOfLane& then) {
  std::vector<loader::LoadResult> results;
  if (!LoadAll(arguments, &results)) return false;
  for (loader::LoadResult& result : results) {
    for (const engine::ConnectorOptions& lane : slot::LanesOf(result.options))
      then(lane, std::exchange(result.warnings, {}));
  }
  return true;
}

std::string ReportedValue(const config::LoadReport& report, absl::string_view name) {
  for (const config::PropertyReport& one : report.properties)
    if (one.name == name) return one.value;
  return "";
}

namespace {

NotedConnector NotedOfRefused(const config::LoadReport& report, const std::string& file) {
  NotedConnector noted{.name = ReportedValue(report, "name"), .offset_file = {}};
  if (noted.name.empty()) noted.name = std::filesystem::path(file).stem().string();
  const std::string store = ReportedValue(report, "offset.storage");
  if (store.empty() || absl::StrContains(store, "File"))
    noted.offset_file = ReportedValue(report, "offset.storage.file.filename");
  return noted;
}

}  // namespace

std::vector<NotedConnector> NotedOf(const std::vector<loader::LoadResult>& results,
                                    const Arguments& arguments) {
  std::vector<NotedConnector> noted;
  for (size_t i = 0; i < results.size(); ++i) {
    const std::string& file = arguments.connector_files[i];
    const std::string doctor = DoctorByFiles(
        {.connector = file, .worker = arguments.worker_file, .overrides = arguments.overrides},
        results[i]);
    if (!results[i].errors.empty()) {
      noted.push_back(NotedOfRefused(results[i], file));
      noted.back().doctor = doctor;
      continue;
    }
    for (const engine::ConnectorOptions& lane : slot::LanesOf(results[i].options))
      noted.push_back({lane.name, engine::OffsetFileOf(lane), doctor});
  }
  return noted;
}

std::optional<std::vector<NotedConnector>> LoadNoted(const Arguments& arguments) {
  std::optional<config::LoadRequest> request = MakeRequest(arguments);
  if (!request) return std::nullopt;
  std::vector<loader::LoadResult> results;
  for (const std::string& file : arguments.connector_files) {
    request->connector_path = file;
    std::error_code error;
    if (!std::filesystem::exists(file, error) && !error) {
      Refuse(absl::StrCat(file, ": no such file"));
      return std::nullopt;
    }
    results.push_back(loader::LoadConnector(*request, LoginFile()));
  }
  return NotedOf(results, arguments);
}

bool CheckDistinct(const std::vector<loader::LoadResult>& results) {
  std::set<std::string> names;
  std::set<engine::SlotAddress> slots;
  for (const loader::LoadResult& result : results) {
    const engine::ConnectorOptions& options = result.options;
    if (!names.insert(options.name).second) {
      Refuse("property 'name': '" + options.name +
             "' is used by two connectors; give each its own");
      return false;
    }
    for (const engine::ConnectorOptions& lane : slot::LanesOf(options)) {
      const engine::SlotAddress address = engine::SlotOf(lane);
      if (slots.insert(address).second) continue;
      Refuse("property 'slot.name': '" + address.slot +
             "' is used by two connectors on the same server; give each its own");
      return false;
    }
  }
  return true;
}

}  // namespace walduct::cli
