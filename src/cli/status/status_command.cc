#include <rapidjson/document.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/environment.h"
#include "base/error.h"
#include "base/json.h"
#include "cli/commands.h"
#include "cli/configuration.h"
#include "cli/process/last_end.h"
#include "cli/process/shutdown_watch.h"
#include "cli/running_process.h"
#include "cli/status/ask_status.h"
#include "cli/status/status_exit.h"
#include "cli/status/status_screen.h"
#include "cli/status/watch_keys.h"
#include "cli/usage/tones.h"
#include "engine/control/stop_signal.h"
#include "engine/errors/error_policy.h"

namespace walduct::cli {
namespace {

// Of a connector that reads several slots the files name each lane: shop-1, shop-2.
bool IsNamed(const std::string& shown, const std::vector<std::string>& names) {
  return std::any_of(names.begin(), names.end(), [&](absl::string_view name) {
    if (!absl::ConsumePrefix(&name, shown)) return false;
    return name.empty() || (absl::ConsumePrefix(&name, "-") && !name.empty() &&
                            absl::c_all_of(name, absl::ascii_isdigit));
  });
}

// The answer without others; names: as the files say, none: all that is there. Unavailable
// other_process_answers: the process at url runs none of them.
absl::StatusOr<std::string> OwnConnectors(absl::string_view json,
                                          const std::vector<std::string>& names,
                                          absl::string_view url) {
  rapidjson::Document document = json::Parse(json);
  if (names.empty() || !document.IsObject()) return std::string(json);
  std::vector<std::string> others;
  size_t own = 0;
  for (const char* const which : {"connectors", "resting"}) {
    if (!document.HasMember(which) || !document[which].IsArray()) continue;
    rapidjson::Value& all = document[which];
    for (auto one = all.Begin(); one != all.End();) {
      const bool named = json::FindString(*one, "name") != nullptr;
      const std::string text = json::TextIn(*one, "name");
      if (named && IsNamed(text, names)) {
        ++own;
        ++one;
      } else {
        others.push_back(text);
        one = all.Erase(one);
      }
    }
  }
  if (own == 0) {
    return Error(absl::StatusCode::kUnavailable, "other_process_answers",
                 absl::StrCat("the process that answers at ", url, " does not run ",
                              absl::StrJoin(names, ", "), "; it runs ",
                              others.empty() ? "no connector" : absl::StrJoin(others, ", ")),
                 "--url names another process; without -f this one is shown");
  }
  if (others.empty()) return std::string(json);
  return absl::StrCat(json::Print(document), "\n");
}

constexpr absl::Duration kBetweenLooks = absl::Milliseconds(500);
constexpr absl::Duration kWatchInterval = absl::Seconds(1);
constexpr absl::string_view kClear = "\x1b[H\x1b[2J";

// For probes: what is wrong goes to standard error.
int Probe(const Arguments& arguments, const std::string& path) {
  const absl::StatusOr<std::string> answer = Ask(ServerOf(arguments), path);
  if (answer.ok()) {
    std::cout << *answer;
    return engine::kExitClean;
  }
  TellLastEnd(arguments, answer.status());
  return engine::kExitFailure;
}

}  // namespace

int ShowStatus(const Arguments& given) {
  const Environment environment = Environment::Real();
  const Arguments arguments = WithListenerOfFiles(given);
  const http::Server server = ServerOf(arguments);
  if (arguments.alive) return Probe(arguments, "/livez");
  if (arguments.ready) return Probe(arguments, "/readyz");
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
    absl::StatusOr<std::string> answer = AskStatus(server, arguments.connector);
    if (answer.ok()) answer = OwnConnectors(*answer, named, http::WithoutLogin(server.url));
    if (!answer.ok()) return TellLastEnd(arguments, answer.status());
    const absl::Duration now = environment.clock->Monotonic();
    if (arguments.json && !arguments.connector.empty()) {
      const absl::Status known = StatusScreen(*answer, options).status();
      if (ErrorReason(known) == "connector_unknown") return PrintStatus(known);
    }
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
    if (!std::cout) return engine::kExitClean;  // nobody reads it any more
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
