// What systemd is told of a service of Type=notify: that it is up, that it lives, that it stops.
// Its protocol is a datagram to the socket that $NOTIFY_SOCKET names (sd_notify(3)); libsystemd is
// not needed for that.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/environment.h"
#include "base/wake.h"
#include "engine/control/stop_signal.h"

namespace walduct::cli {

class SystemdSocket {
 public:
  // As $NOTIFY_SOCKET names it; nothing is sent when it is empty.
  explicit SystemdSocket(std::string path) : path_(std::move(path)) {}

  bool given() const { return !path_.empty(); }
  // Lines of sd_notify(3). False: nobody took them.
  bool Send(absl::string_view lines) const;

 private:
  const std::string path_;
};

// Says READY=1 at once, WATCHDOG=1 twice in the interval that systemd asks for while alive() says
// so, STOPPING=1 with the stop signal. On a thread of its own; without a socket it does nothing.
class SystemdNotifier {
 public:
  // All borrowed; alive is called on the thread.
  struct Parts {
    std::string socket;                      // $NOTIFY_SOCKET
    std::optional<absl::Duration> watchdog;  // $WATCHDOG_USEC
    std::function<bool()> alive;
    engine::StopSignal* stop = nullptr;
    Environment environment;
  };
  // Of this process's environment.
  static std::optional<absl::Duration> WatchdogInterval();

  explicit SystemdNotifier(Parts parts);
  ~SystemdNotifier();
  SystemdNotifier(const SystemdNotifier&) = delete;
  SystemdNotifier& operator=(const SystemdNotifier&) = delete;

 private:
  void Run();

  const Parts parts_;
  const SystemdSocket socket_;
  Wake end_;
  std::atomic<bool> ended_{false};
  std::thread thread_;  // last: uses all of the above
};

}  // namespace walduct::cli
