#include "cli/process/shutdown_watch.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <vector>

#include "base/log.h"
#include "cli/process/stop_request.h"
#include "engine/lifecycle/connectors.h"

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

}  // namespace

void InstallSignals(engine::StopSignal* stop) {
  g_stop = stop;
  struct sigaction action = {};
  action.sa_handler = OnSignal;
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGINT, &action, nullptr);
  signal(SIGPIPE, SIG_IGN);
}

void IgnoreSignals() {
  signal(SIGTERM, SIG_IGN);
  signal(SIGINT, SIG_IGN);
}

ShutdownWatch::~ShutdownWatch() {
  finished_ = true;
  parts_.stop->Request();  // wakes the thread
  thread_.join();
}

void ShutdownWatch::Run() const {
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

bool ShutdownWatch::NothingRead() const {
  const std::vector<engine::ConnectorStatus> statuses = parts_.connectors->Statuses();
  return std::all_of(statuses.begin(), statuses.end(), [](const engine::ConnectorStatus& one) {
    return (one.ended() && one.exit_code == engine::kExitClean) ||
           one.activity == engine::Activity::kConnecting;
  });
}

void ShutdownWatch::LeaveClean() const {
  log::Info("stopped while connecting");
  _exit(parts_.has_goal ? engine::kExitNotCaughtUp : engine::kExitClean);
}

}  // namespace walduct::cli
