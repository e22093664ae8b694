#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "base/check.h"
#include "base/environment.h"
#include "base/log.h"
#include "cli/commands.h"
#include "cli/configuration.h"
#include "engine/lifecycle/connector_set.h"
#include "engine/world/server_world.h"
#include "engine/world/tail.h"

namespace walduct::cli {
namespace {

constexpr absl::Duration kShutdownLimit = absl::Milliseconds(9500);

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

// A signal that comes now is late: taken for a second one, it would turn the exit code into
// another.
void IgnoreSignals() {
  signal(SIGTERM, SIG_IGN);
  signal(SIGINT, SIG_IGN);
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
void WatchShutdown(const engine::StopSignal& stop, const std::atomic<bool>& finished,
                   const Environment& environment) {
  const auto [clock, poller] = environment;
  while (!stop.requested() && !finished) poller->WaitReadable({stop.fd()}, absl::Milliseconds(500));
  const absl::Duration deadline = clock->Monotonic() + kShutdownLimit;
  while (!finished && clock->Monotonic() < deadline)
    poller->WaitReadable({}, absl::Milliseconds(50));
  if (finished) return;
  log::Error(
      "stopped: not all positions could be stored in time; changes after the stored position are "
      "read again at the next start");
  _exit(engine::kExitFailure);
}

engine::Connector::Options OptionsOf(const loader::LoadResult& loaded, const engine::RunGoal& goal,
                                     engine::RunMode mode) {
  if (mode == engine::RunMode::kRun) return {.config = loaded.options, .goal = goal, .mode = mode};
  const bool mode_given = std::any_of(
      loaded.properties.begin(), loaded.properties.end(),
      [](const config::PropertyReport& report) { return report.name == "snapshot.mode"; });
  return {.config = engine::TailConfig(loaded.options, mode_given), .goal = goal, .mode = mode};
}

engine::ExitCode RunAll(const std::vector<loader::LoadResult>& results, const engine::RunGoal& goal,
                        engine::RunMode mode, const engine::StopSignal& stop,
                        const Environment& environment) {
  engine::ServerWorld world(environment);
  engine::ConnectorSet connectors(world);
  for (const loader::LoadResult& result : results) {
    log::SetConnector(result.options.name);
    for (const std::string& warning : result.warnings) log::Warn(warning);
    // CheckDistinct has looked at the names.
    CHECK(connectors.Add(OptionsOf(result, goal, mode)).ok());
  }
  log::SetConnector("");
  return connectors.AwaitEnd(stop);
}

}  // namespace

int RunConnectors(const Arguments& arguments) {
  const engine::RunMode mode =
      arguments.command == Command::kTail ? engine::RunMode::kTail : engine::RunMode::kRun;
  ConfigureLog(arguments);
  std::vector<loader::LoadResult> results;
  engine::RunGoal goal;
  if (!LoadAll(arguments, &results) || !CheckDistinct(results) || !ParseGoal(arguments, &goal)) {
    return engine::kExitConfiguration;
  }
  const Environment environment;  // the real one
  engine::StopSignal stop;
  InstallSignals(&stop);
  std::atomic<bool> finished{false};
  std::thread watchdog([&] { WatchShutdown(stop, finished, environment); });
  const engine::ExitCode outcome = RunAll(results, goal, mode, stop, environment);
  IgnoreSignals();
  finished = true;
  stop.Request();  // wakes the watchdog
  watchdog.join();
  return outcome;
}

}  // namespace walduct::cli
