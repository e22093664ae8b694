// ShutdownWatch: the process must not outlive the promise made to whoever sent the signal, whatever
// a library is waiting for. Also the signals themselves.
#pragma once

#include <atomic>
#include <thread>

#include "absl/time/time.h"
#include "base/environment.h"
#include "engine/control/stop_signal.h"

namespace walduct::engine {
class Connectors;
}  // namespace walduct::engine

namespace walduct::cli {

// SIGTERM and SIGINT request a stop from now on; a second one that does not just repeat it
// ends the process at once. stop lives as long as the process.
void InstallSignals(engine::StopSignal* stop);
// From now on a signal comes too late to stop anything: as a second one it would only change the
// exit code.
void IgnoreSignals();

class ShutdownWatch {
 public:
  // All borrowed. limit: from the signal to the end.
  struct Parts {
    engine::StopSignal* stop = nullptr;
    const engine::Connectors* connectors = nullptr;
    bool has_goal = false;
    absl::Duration limit;
    Environment environment;
  };
  explicit ShutdownWatch(const Parts& parts) : parts_(parts), thread_([this] { Run(); }) {}
  ~ShutdownWatch();
  ShutdownWatch(const ShutdownWatch&) = delete;
  ShutdownWatch& operator=(const ShutdownWatch&) = delete;

 private:
  void Run() const;
  bool NothingRead() const;
  void LeaveClean() const;

  const Parts parts_;
  std::atomic<bool> finished_{false};
  std::thread thread_;  // last: uses all of the above
};

}  // namespace walduct::cli
