#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include "base/log.h"
#include "base/poller.h"
#include "cli/commands.h"
#include "cli/configuration.h"
#include "engine/environment/tail.h"
#include "engine/lifecycle/connector.h"

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
  Poller& poller = Poller::Real();
  Clock& clock = Clock::Real();
  while (!stop.requested() && !finished) poller.WaitReadable({stop.fd()}, absl::Milliseconds(500));
  const absl::Duration deadline = clock.Monotonic() + kShutdownLimit;
  while (!finished && clock.Monotonic() < deadline) {
    poller.WaitReadable({}, absl::Milliseconds(50));
  }
  if (finished) return;
  log::Error("stopped: not everything could be stored in time; the rest is read again next time");
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
                               .poller = &Poller::Real(),
                               .stop = &stop});
  return connector.Run();
}

}  // namespace

int RunConnectors(const Arguments& arguments) {
  const engine::RunMode mode =
      arguments.command == Command::kTail ? engine::RunMode::kTail : engine::RunMode::kRun;
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
      // Half alive is worse than dead: one connector that fails stops the process, and whoever
      // watches it starts it anew.
      int clean = engine::kExitClean;
      outcome.compare_exchange_strong(clean, code);
      stop.Request();
    });
  }
  for (std::thread& thread : threads) thread.join();
  // A signal that comes now is late: taken for a second one, it would turn this exit code into
  // another.
  signal(SIGTERM, SIG_IGN);
  signal(SIGINT, SIG_IGN);
  finished = true;
  stop.Request();  // wakes the watchdog
  watchdog.join();
  return outcome;
}

}  // namespace walduct::cli
