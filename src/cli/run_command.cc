#include <algorithm>
#include <cstdlib>
#include <memory>
#include <vector>

#include "admin/health.h"
#include "base/check.h"
#include "base/environment.h"
#include "base/log.h"
#include "cli/commands.h"
#include "cli/configuration.h"
#include "cli/listening.h"
#include "cli/shutdown_watch.h"
#include "cli/systemd.h"
#include "engine/configuration/runtime_options.h"
#include "engine/lifecycle/connector_set.h"
#include "engine/world/server_world.h"
#include "engine/world/tail.h"
#include "loader/load_connector.h"

namespace walduct::cli {
namespace {

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

absl::Duration LongestShutdown(const std::vector<loader::LoadResult>& results) {
  absl::Duration longest;
  for (const loader::LoadResult& result : results)
    longest = std::max(longest, result.options.runtime->shutdown_timeout);
  return longest;
}

engine::Connector::Options OptionsOf(const loader::LoadResult& loaded, const engine::RunGoal& goal,
                                     engine::RunMode mode) {
  if (mode == engine::RunMode::kRun) return {.config = loaded.options, .goal = goal, .mode = mode};
  const bool mode_given = std::any_of(
      loaded.properties.begin(), loaded.properties.end(),
      [](const config::PropertyReport& report) { return report.name == "snapshot.mode"; });
  return {.config = engine::TailConfig(loaded.options, mode_given), .goal = goal, .mode = mode};
}

bool IsAlive(const engine::ConnectorSet& connectors, Clock& clock) {
  return admin::Liveness(admin::LookAt(connectors, clock), admin::Surface::kLivenessLimit).status ==
         200;
}

struct RunPlan {
  engine::RunGoal goal;
  engine::RunMode mode = engine::RunMode::kRun;
  const loader::LoadResult* listen = nullptr;  // whose listener; null: nothing listens
};

engine::ExitCode RunAll(const std::vector<loader::LoadResult>& results, const RunPlan& plan,
                        engine::StopSignal& stop, const Environment& environment) {
  const auto& [goal, mode, listen] = plan;
  engine::ServerWorld world(environment);
  engine::ConnectorSet connectors(world);
  std::unique_ptr<Listening> listening;
  if (listen != nullptr) {
    listening = Listening::Open(*listen, results, connectors, *environment.clock);
    if (listening == nullptr) return engine::kExitConfiguration;
  }
  for (const loader::LoadResult& result : results) {
    log::SetConnector(result.options.name);
    for (const std::string& warning : result.warnings) log::Warn(warning);
    // CheckDistinct has looked at the names.
    CHECK(connectors.Add(OptionsOf(result, goal, mode)).ok());
  }
  log::SetConnector("");
  const ShutdownWatch watch({.stop = &stop,
                             .connectors = &connectors,
                             .has_goal = goal.set(),
                             .limit = LongestShutdown(results),
                             .environment = environment});
  const char* const notify_socket = std::getenv("NOTIFY_SOCKET");
  const SystemdNotifier notifier({.socket = notify_socket == nullptr ? "" : notify_socket,
                                  .watchdog = SystemdNotifier::WatchdogInterval(),
                                  .alive = [&] { return IsAlive(connectors, *environment.clock); },
                                  .stop = &stop,
                                  .environment = environment});
  const engine::ExitCode outcome = connectors.AwaitEnd(stop);
  IgnoreSignals();
  return outcome;
}

}  // namespace

int RunConnectors(const Arguments& arguments) {
  RunPlan plan;
  if (arguments.command == Command::kTail) plan.mode = engine::RunMode::kTail;
  ConfigureLog(arguments);
  std::vector<loader::LoadResult> results;
  if (!LoadAll(arguments, &results) || !CheckDistinct(results) ||
      !ParseGoal(arguments, &plan.goal)) {
    return engine::kExitConfiguration;
  }
  const bool listens = plan.mode == engine::RunMode::kRun;
  if (listens && !ChooseListener(results, &plan.listen)) return engine::kExitConfiguration;
  const Environment environment = Environment::Real();
  engine::StopSignal stop;
  InstallSignals(&stop);
  return RunAll(results, plan, stop, environment);
}

}  // namespace walduct::cli
