// Commands, flags, signals, exit codes.
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <iterator>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "base/poller.h"
#include "config/documentation.h"
#include "config/loader.h"
#include "engine/connector.h"
#include "engine/offset_commands.h"
#include "engine/tail.h"
#include "engine/version.h"

namespace walduct {
namespace {

using engine::ExitCode;

constexpr absl::Duration kShutdownLimit = absl::Seconds(10);

struct Arguments {
  std::vector<std::string> connector_files;
  std::string worker_file;
  std::vector<std::string> overrides;
  std::string until_lsn;
  bool until_caught_up = false;
  std::string log_level = "info";
  std::string log_format = "text";
  std::string offsets_file;
  bool print_reference = false;
};

engine::StopSignal* g_stop = nullptr;

void OnSignal(int) {
  // A second signal means: now.
  if (g_stop->requested()) _exit(engine::kExitFailure);
  g_stop->Request();
}

void InstallSignals(engine::StopSignal* stop) {
  g_stop = stop;
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
  signal(SIGPIPE, SIG_IGN);
}

void ConfigureLog(const Arguments& arguments) {
  const auto level = arguments.log_level == "debug"   ? log::Level::kDebug
                     : arguments.log_level == "warn"  ? log::Level::kWarn
                     : arguments.log_level == "error" ? log::Level::kError
                                                      : log::Level::kInfo;
  log::Configure(level, arguments.log_format == "json" ? log::Format::kJson : log::Format::kText);
}

int Refuse(const std::string& error) {
  std::cerr << "error: " << error << "\n";
  return engine::kExitConfiguration;
}

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

// One LoadResult per -f; false when one is refused, with all errors printed.
bool LoadAll(const Arguments& arguments, std::vector<config::LoadResult>* results) {
  config::LoadRequest request;
  if (!arguments.worker_file.empty()) request.worker_path = arguments.worker_file;
  if (!ParseOverrides(arguments, &request.overrides)) return false;
  bool accepted = true;
  for (const std::string& file : arguments.connector_files) {
    request.connector_path = file;
    results->push_back(config::LoadConnector(request));
    for (const std::string& error : results->back().errors) Refuse(file + ": " + error);
    accepted = accepted && results->back().errors.empty();
  }
  return accepted;
}

// Two connectors on one slot or one name would steal each other's changes or offsets.
bool CheckDistinct(const std::vector<config::LoadResult>& results) {
  std::set<std::string> names, slots;
  for (const config::LoadResult& result : results) {
    const config::ConnectorOptions& options = result.loaded.options;
    if (!names.insert(options.name).second) {
      Refuse("property 'name': '" + options.name +
             "' is used by two connectors; give each its own");
      return false;
    }
    const std::string slot = options.database.hostname + ":" +
                             std::to_string(options.database.port) + "/" +
                             options.replication.slot_name;
    if (!slots.insert(slot).second) {
      Refuse("property 'slot.name': '" + options.replication.slot_name +
             "' is used by two connectors on the same server; give each its own");
      return false;
    }
  }
  return true;
}

bool ParseGoal(const Arguments& arguments, engine::RunGoal* goal) {
  goal->until_caught_up = arguments.until_caught_up;
  if (arguments.until_lsn.empty()) return true;
  const absl::StatusOr<Lsn> lsn = Lsn::Parse(arguments.until_lsn);
  if (!lsn.ok()) {
    Refuse("--until-lsn: " + std::string(lsn.status().message()));
    return false;
  }
  goal->until_lsn = *lsn;
  return true;
}

// The process must not outlive the promise made to whoever sent the signal, whatever a library is
// waiting for.
void WatchShutdown(const engine::StopSignal& stop, const std::atomic<bool>& finished) {
  while (!stop.requested() && !finished) WaitReadable({stop.fd()}, absl::Milliseconds(500));
  const absl::Duration deadline =
      Clock::Real().Monotonic() + kShutdownLimit - absl::Milliseconds(500);
  while (!finished && Clock::Real().Monotonic() < deadline)
    WaitReadable({}, absl::Milliseconds(50));
  if (finished) return;
  log::Error(
      "stopped: not everything could be stored in time; what is missing is read again at the next "
      "start");
  _exit(engine::kExitFailure);
}

int RunConnector(const config::LoadedConnector& loaded, const engine::RunGoal& goal,
                 engine::RunMode mode, const engine::StopSignal& stop) {
  log::SetConnector(loaded.options.name);
  for (const std::string& warning : loaded.warnings) log::Warn(warning);
  const auto is_snapshot_mode = [](const config::PropertyReport& report) {
    return report.name == "snapshot.mode";
  };
  const bool mode_given =
      std::any_of(loaded.properties.begin(), loaded.properties.end(), is_snapshot_mode);
  engine::Connector connector({.config = mode == engine::RunMode::kTail
                                             ? engine::TailConfig(loaded.options, mode_given)
                                             : loaded.options,
                               .goal = goal,
                               .mode = mode,
                               .clock = &Clock::Real(),
                               .stop = &stop});
  return connector.Run();
}

int RunConnectors(const Arguments& arguments, engine::RunMode mode) {
  ConfigureLog(arguments);
  std::vector<config::LoadResult> results;
  engine::RunGoal goal;
  if (!LoadAll(arguments, &results) || !CheckDistinct(results) || !ParseGoal(arguments, &goal)) {
    return engine::kExitConfiguration;
  }
  engine::StopSignal stop;
  InstallSignals(&stop);
  std::atomic<bool> finished{false};
  std::thread watchdog([&] { WatchShutdown(stop, finished); });
  std::atomic<int> outcome{engine::kExitClean};
  std::vector<std::thread> threads;
  for (const config::LoadResult& result : results) {
    threads.emplace_back([&] {
      const int code = RunConnector(result.loaded, goal, mode, stop);
      if (code == engine::kExitClean) return;
      // Half alive is worse than dead: one connector that fails stops the process, and whoever watches it starts it anew.
      int clean = engine::kExitClean;
      outcome.compare_exchange_strong(clean, code);
      stop.Request();
    });
  }
  for (std::thread& thread : threads) thread.join();
  finished = true;
  watchdog.join();
  return outcome;
}

int Validate(const Arguments& arguments) {
  if (arguments.print_reference) {
    std::cout << config::ConfigurationMarkdown();
    return engine::kExitClean;
  }
  if (arguments.connector_files.empty())
    return Refuse("validate needs -f CONNECTOR.json|.properties");
  std::vector<config::LoadResult> results;
  config::LoadRequest request;
  if (!arguments.worker_file.empty()) request.worker_path = arguments.worker_file;
  if (!ParseOverrides(arguments, &request.overrides)) return engine::kExitConfiguration;
  bool accepted = true;
  for (const std::string& file : arguments.connector_files) {
    request.connector_path = file;
    results.push_back(config::LoadConnector(request));
    std::cout << file << "\n" << config::RenderValidateTable(results.back());
    accepted = accepted && results.back().errors.empty();
  }
  accepted = (!accepted || CheckDistinct(results)) && accepted;
  return accepted ? engine::kExitClean : engine::kExitConfiguration;
}

int PrintStatus(const absl::Status& status) {
  if (status.ok()) return engine::kExitClean;
  std::cerr << "error: " << status.message() << "\n";
  if (const std::string hint = ErrorHint(status); !hint.empty())
    std::cerr << "hint: " << hint << "\n";
  return status.code() == absl::StatusCode::kInvalidArgument ? engine::kExitConfiguration
                                                             : engine::ExitCodeFor(status);
}

int ShowOffsets(const Arguments& arguments) {
  std::vector<config::LoadResult> results;
  if (!LoadAll(arguments, &results)) return engine::kExitConfiguration;
  const absl::StatusOr<std::string> body = engine::ReadOffsets(results.front().loaded.options);
  if (!body.ok()) return PrintStatus(body.status());
  if (arguments.offsets_file.empty() || arguments.offsets_file == "-") {
    std::cout << *body << "\n";
    return engine::kExitClean;
  }
  std::ofstream file(arguments.offsets_file);
  file << *body << "\n";
  file.close();
  if (!file) return Refuse("cannot write " + arguments.offsets_file);
  return engine::kExitClean;
}

int ImportOffsets(const Arguments& arguments) {
  std::vector<config::LoadResult> results;
  if (!LoadAll(arguments, &results)) return engine::kExitConfiguration;
  std::ifstream file;
  if (arguments.offsets_file != "-") {
    file.open(arguments.offsets_file);
    if (!file) return Refuse("cannot read " + arguments.offsets_file);
  }
  std::istream& input = arguments.offsets_file == "-" ? std::cin : file;
  const std::string body{std::istreambuf_iterator<char>(input), std::istreambuf_iterator<char>()};
  return PrintStatus(engine::WriteOffsets(results.front().loaded.options, body));
}

void AddConfiguration(CLI::App* command, Arguments* arguments, bool required) {
  auto* files = command->add_option(
      "-f,--file", arguments->connector_files,
      "Connector configuration: Kafka Connect JSON or properties; once per connector");
  if (required) files->required();
  command->add_option("-w,--worker", arguments->worker_file, "Kafka Connect worker properties");
  command->add_option("-o,--override", arguments->overrides, "key=value; wins over both files");
}

void AddLogging(CLI::App* command, Arguments* arguments) {
  command->add_option("--log-level", arguments->log_level, "debug, info, warn or error")
      ->check(CLI::IsMember({"debug", "info", "warn", "error"}));
  command->add_option("--log-format", arguments->log_format, "text or json")
      ->check(CLI::IsMember({"text", "json"}));
}

int Main(int argc, char** argv) {
  CLI::App app{"walduct: PostgreSQL's write-ahead log to Kafka, as Debezium writes it"};
  app.require_subcommand(1);
  Arguments arguments;

  auto* run = app.add_subcommand("run", "Stream until SIGTERM or SIGINT");
  AddConfiguration(run, &arguments, true);
  AddLogging(run, &arguments);
  auto* until_lsn = run->add_option("--until-lsn", arguments.until_lsn,
                                    "Stop once everything up to this LSN is delivered");
  run->add_flag("--until-caught-up", arguments.until_caught_up,
                "Stop once the WAL that exists at the start is delivered")
      ->excludes(until_lsn);

  auto* validate =
      app.add_subcommand("validate", "Check a configuration without touching any server");
  AddConfiguration(validate, &arguments, false);
  validate->add_flag("--print-reference", arguments.print_reference, "Print docs/configuration.md");

  auto* tail =
      app.add_subcommand("tail", "Print events to the terminal; temporary slot, nothing stored");
  AddConfiguration(tail, &arguments, true);
  AddLogging(tail, &arguments);

  auto* offsets = app.add_subcommand("offsets", "The stored position, as Connect's REST body");
  offsets->require_subcommand(1);
  auto* show = offsets->add_subcommand("show", "Print it");
  AddConfiguration(show, &arguments, true);
  auto* export_command = offsets->add_subcommand("export", "Write it to a file");
  AddConfiguration(export_command, &arguments, true);
  export_command->add_option("output", arguments.offsets_file, "File, or - for standard output")
      ->required();
  auto* import_command = offsets->add_subcommand("import", "Store the position a file holds");
  AddConfiguration(import_command, &arguments, true);
  import_command->add_option("input", arguments.offsets_file, "File, or - for standard input")
      ->required();

  auto* version = app.add_subcommand("version", "Print versions");

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? engine::kExitClean : engine::kExitConfiguration;
  }
  if (*run) return RunConnectors(arguments, engine::RunMode::kRun);
  if (*tail) return RunConnectors(arguments, engine::RunMode::kTail);
  if (*validate) return Validate(arguments);
  if (*show || *export_command) return ShowOffsets(arguments);
  if (*import_command) return ImportOffsets(arguments);
  if (*version) std::cout << engine::VersionText();
  return engine::kExitClean;
}

}  // namespace
}  // namespace walduct

int main(int argc, char** argv) { return walduct::Main(argc, argv); }
