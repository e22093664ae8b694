#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

#include "admin/health.h"
#include "base/check.h"
#include "base/environment.h"
#include "base/log.h"
#include "cli/commands.h"
#include "cli/configuration.h"
#include "cli/listening.h"
#include "cli/stop_request.h"
#include "cli/systemd.h"
#include "engine/configuration/runtime_options.h"
#include "engine/lifecycle/connector_set.h"
#include "engine/world/server_world.h"
#include "engine/world/tail.h"
#include "loader/load_connector.h"

namespace walduct::cli {
namespace {

// For a connector that has read nothing: it only waits for servers.
constexpr absl::Duration kConnectingLimit = absl::Seconds(3);
constexpr absl::Duration kLook = absl::Milliseconds(50);

engine::StopSignal* g_stop = nullptr;
StopRequest g_request;

void OnSignal(int signal) {
  if (g_request.Insists(signal, Clock::Real().Monotonic())) _exit(engine::kExitFailure);
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
class ShutdownWatch {
 public:
  // All borrowed. limit: from the signal to the end.
  struct Parts {
    engine::StopSignal* stop = nullptr;
    const engine::ConnectorSet* connectors = nullptr;
    bool has_goal = false;
    absl::Duration limit;
    Environment environment;
  };
  explicit ShutdownWatch(const Parts& parts) : parts_(parts), thread_([this] { Run(); }) {}
  ~ShutdownWatch() {
    finished_ = true;
    parts_.stop->Request();  // wakes the thread
    thread_.join();
  }
  ShutdownWatch(const ShutdownWatch&) = delete;
  ShutdownWatch& operator=(const ShutdownWatch&) = delete;

 private:
  void Run() const {
    const auto [clock, poller] = parts_.environment;
    while (!parts_.stop->requested() && !finished_)
      poller->WaitReadable({parts_.stop->fd()}, absl::Milliseconds(500));
    const absl::Duration begin = clock->Monotonic();
    while (!finished_ && clock->Monotonic() - begin < kConnectingLimit)
      poller->WaitReadable({}, kLook);
    if (!finished_ && NothingRead()) LeaveClean();
    while (!finished_ && clock->Monotonic() - begin < parts_.limit) poller->WaitReadable({}, kLook);
    if (finished_) return;
    if (NothingRead()) LeaveClean();
    log::Error(
        "stopped: not all positions could be stored in time; changes after the stored position are "
        "read again at the next start");
    _exit(engine::kExitFailure);
  }

  bool NothingRead() const {
    const std::vector<engine::ConnectorStatus> statuses = parts_.connectors->Statuses();
    return std::all_of(statuses.begin(), statuses.end(), [](const engine::ConnectorStatus& one) {
      return (one.ended() && one.exit_code == engine::kExitClean) ||
             one.activity == engine::Activity::kConnecting;
    });
  }

  void LeaveClean() const {
    log::Info("stopped while connecting");
    _exit(parts_.has_goal ? engine::kExitNotCaughtUp : engine::kExitClean);
  }

  const Parts parts_;
  std::atomic<bool> finished_{false};
  std::thread thread_;  // last: uses all of the above
};

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
  std::optional<http::Address> listen = {};
};

engine::ExitCode RunAll(const std::vector<loader::LoadResult>& results, const RunPlan& plan,
                        engine::StopSignal& stop, const Environment& environment) {
  const auto& [goal, mode, listen] = plan;
  engine::ServerWorld world(environment);
  engine::ConnectorSet connectors(world);
  std::unique_ptr<Listening> listening;
  if (listen) {
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
  if (listens && !ChooseListenAddress(arguments, results, &plan.listen))
    return engine::kExitConfiguration;
  const Environment environment = Environment::Real();
  engine::StopSignal stop;
  InstallSignals(&stop);
  return RunAll(results, plan, stop, environment);
}

}  // namespace walduct::cli
