#include <unistd.h>

#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "base/environment.h"
#include "cli/commands.h"
#include "cli/configuration.h"
#include "cli/process/last_end.h"
#include "cli/process/shutdown_watch.h"
#include "cli/running_process.h"
#include "cli/status/own_connectors.h"
#include "cli/status/status_exit.h"
#include "cli/status/status_screen.h"
#include "cli/status/watch_keys.h"
#include "cli/usage/tones.h"
#include "engine/control/stop_signal.h"
#include "engine/errors/error_policy.h"

namespace walduct::cli {
namespace {

constexpr absl::Duration kBetweenLooks = absl::Milliseconds(500);
constexpr absl::Duration kWatchInterval = absl::Seconds(1);
constexpr absl::string_view kClear = "\x1b[H\x1b[2J";

// For probes: what is wrong goes to standard error.
int Probe(const http::Server& server, const std::string& path) {
  const absl::StatusOr<std::string> answer = Ask(server, path);
  if (answer.ok()) {
    std::cout << *answer;
    return engine::kExitClean;
  }
  PrintStatus(answer.status());
  return engine::kExitFailure;
}

}  // namespace

int ShowStatus(const Arguments& given) {
  const Environment environment = Environment::Real();
  const Arguments arguments = WithListenerOfFiles(given);
  const http::Server server = ServerOf(arguments);
  if (arguments.alive) return Probe(server, "/livez");
  if (arguments.ready) return Probe(server, "/readyz");
  std::vector<std::string> named;
  if (!arguments.connector_files.empty()) {
    const std::optional<std::vector<NotedConnector>> noted = LoadNoted(arguments);
    if (!noted) return engine::kExitConfiguration;
    for (const NotedConnector& one : *noted) named.push_back(one.name);
  }
  const bool terminal = isatty(STDOUT_FILENO) == 1;
  ScreenOptions options{.connector = arguments.connector,
                        .colour = HasColours(STDOUT_FILENO),
                        .url = http::WithoutLogin(server.url)};
  engine::StopSignal stop;
  std::optional<WatchKeys> keys;
  if (arguments.watch) {
    InstallSignals(&stop);  // the terminal is put back
    if (terminal) keys.emplace();
  }
  const int typed = keys ? keys->fd() : -1;
  std::optional<absl::Duration> looked_at;
  while (true) {
    absl::StatusOr<std::string> answer = Ask(server, "/status");
    if (answer.ok()) answer = OwnConnectors(*answer, named, http::WithoutLogin(server.url));
    if (!answer.ok()) return TellLastEnd(arguments, answer.status());
    const absl::Duration now = environment.clock->Monotonic();
    if (arguments.json) {
      std::cout << *answer << std::flush;
      if (!arguments.watch) return StatusExitOf(*answer, arguments.connector);
    } else if (looked_at || arguments.watch) {
      if (looked_at) options.between = now - *looked_at;
      const absl::StatusOr<std::string> screen = StatusScreen(*answer, options);
      if (!screen.ok()) return PrintStatus(screen.status());
      if (arguments.watch) {
        std::cout << (terminal ? kClear : "")
                  << WatchHead(http::WithoutLogin(server.url), environment.clock->Now(),
                               absl::LocalTimeZone(), typed >= 0);
      }
      std::cout << *screen << (!terminal && arguments.watch ? "\n" : "") << std::flush;
      if (!arguments.watch) return StatusExitOf(*answer, arguments.connector);
    }
    looked_at = now;
    options.before = *std::move(answer);
    const absl::Duration next = now + (arguments.watch ? kWatchInterval : kBetweenLooks);
    for (absl::Duration at = now; at < next; at = environment.clock->Monotonic()) {
      environment.poller->WaitReadable({stop.fd(), typed}, next - at);
      if (stop.requested() || (keys && keys->LeaveAsked())) return engine::kExitClean;
    }
  }
}

}  // namespace walduct::cli
