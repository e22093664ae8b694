#include <cstdlib>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "admin/health.h"
#include "admin/status_handler.h"
#include "base/environment.h"
#include "base/error.h"
#include "base/log.h"
#include "base/shell_word.h"
#include "cli/commands.h"
#include "cli/configuration.h"
#include "cli/console/console_side.h"
#include "cli/listening.h"
#include "cli/process/last_end.h"
#include "cli/process/shutdown_watch.h"
#include "cli/process/systemd.h"
#include "console/console.h"
#include "engine/errors/error_policy.h"
#include "engine/lifecycle/connector_set.h"
#include "operate/commands/client_environment.h"
#include "serve/load_worker.h"
#include "serve/service.h"
#include "slot/world/server_world.h"

namespace walduct::cli {
namespace {

// A connector's own limit is not known beforehand.
constexpr absl::Duration kShutdown = absl::Seconds(30);

absl::StatusOr<admin::ShownConfig> MaskedConfig(const serve::Service& service,
                                                const std::string& name) {
  const std::optional<serve::ConnectorView> view = service.worker().Find(name);
  if (!view) return absl::NotFoundError(absl::StrCat("There is no connector ", name, "."));
  if (view->foreign) return Masked(view->config, {});
  return Masked(view->config, service.loader().Properties(view->config));
}

std::set<std::string> Running(const engine::ConnectorSet& connectors) {
  std::set<std::string> running;
  for (const engine::ConnectorStatus& status : connectors.Statuses())
    if (!status.ended()) running.insert(status.name);
  return running;
}

// Of those that ran until the stop: what failed by itself was told then.
absl::Status StoredAtTheStop(const std::set<std::string>& ran,
                             const engine::ConnectorSet& connectors) {
  std::vector<std::string> left;
  std::string why;
  for (const engine::ConnectorStatus& status : connectors.Statuses()) {
    const bool clean = status.exit_code.value_or(engine::kExitClean) == engine::kExitClean;
    const bool failed = status.state == engine::ConnectorState::kFailed;
    if (clean || failed || !ran.contains(status.name)) continue;
    if (left.empty() && status.last_error) why = status.last_error->message;
    left.push_back(status.name);
  }
  if (left.empty()) return absl::OkStatus();
  return Error(absl::StatusCode::kUnavailable, "stopped_before_stored",
               absl::StrCat("stopped before all positions were stored, of: ",
                            absl::StrJoin(left, ", "), why.empty() ? "" : ": ", why),
               "nothing to do: what follows the stored positions is read again at the next start, "
               "and published again as far as Kafka has it already");
}

int RunService(serve::Service& service, const ConsoleSide& side,
               const console::ConsoleOptions& console, engine::ConnectorSet& connectors,
               engine::StopSignal& stop, Clock& clock, const std::string& worker_file) {
  service.pages().AskForNotice(NoticeOfNotes);
  const absl::Status open = service.Listen([&](http::Handler& pages) {
    return std::make_unique<console::Console>(
        ConsoleBefore(pages, service.pages(), side, service.access(), console, /*worker=*/true));
  });
  if (!open.ok()) return PrintStatus(open);
  WorkerNotes notes(
      service.group(), service.addresses(),
      worker_file.empty() ? "" : absl::StrCat("walduct serve -w ", ShellWord(worker_file)));
  notes.Begin(clock.Now());
  // Who asks when nobody answers any more finds them.
  const absl::Status ended = service.Run([&] { notes.Show(connectors.Statuses()); });
  const std::set<std::string> ran = Running(connectors);
  connectors.StopAll();
  stop.Request();
  connectors.AwaitEnd(stop);
  if (service.served()) notes.EndConnectors(connectors.Statuses(), clock.Now());
  service.Leave();
  IgnoreSignals();
  const bool asked = ended.ok() || absl::IsCancelled(ended);
  const absl::Status end = asked ? StoredAtTheStop(ran, connectors) : ended;
  const int exit_code = PrintStatus(end);
  notes.End(end, exit_code, clock.Now());
  return exit_code;
}

}  // namespace

int Serve(const Arguments& arguments) {
  ConfigureLog(arguments);
  std::optional<config::LoadRequest> request = MakeRequest(arguments);
  if (!request) return engine::kExitConfiguration;
  serve::WorkerResult worker = serve::LoadWorker(*request, LoginFile());
  for (const std::string& error : worker.errors)
    Refuse(absl::StrCat(arguments.worker_file, ": ", error));
  if (!worker.errors.empty()) return engine::kExitConfiguration;
  for (const std::string& warning : worker.warnings) log::Warn(warning);
  operate::IgnoreClientEnvironment(/*tell=*/true);
  const Environment environment = Environment::Real();
  engine::StopSignal stop;
  InstallSignals(&stop);
  slot::ServerWorld world{environment};
  engine::ConnectorSet connectors{world};
  std::optional<ConsoleSide> side;  // the service's listeners use it
  serve::Service service(std::move(worker.options), *request, arguments.log_level, environment,
                         &connectors, &stop);
  world.AskForSlots([&](const std::string& connector, const std::string& slot_server) {
    return service.worker().SlotsOfOthers(connector, slot_server);
  });
  side.emplace(worker.console,
               admin::ConsolePages::Parts{
                   .connectors = &connectors,
                   .clock = environment.clock,
                   .board = &service.board(),
                   .known = [&] { return KnownTo(service.worker()); },
                   .config = [&](const std::string& name) { return MaskedConfig(service, name); }});
  const ShutdownWatch watch(
      {.stop = &stop, .connectors = &connectors, .limit = kShutdown, .environment = environment});
  const char* const notify_socket = std::getenv("NOTIFY_SOCKET");
  const SystemdNotifier notifier({.socket = notify_socket == nullptr ? "" : notify_socket,
                                  .watchdog = SystemdNotifier::WatchdogInterval(),
                                  .alive =
                                      [&] {
                                        return admin::Liveness(
                                                   admin::ViewOf(connectors, *environment.clock),
                                                   admin::StatusHandler::kLivenessLimit)
                                                   .status == 200;
                                      },
                                  .stop = &stop,
                                  .environment = environment});
  return RunService(service, *side, worker.console, connectors, stop, *environment.clock,
                    request->worker_called);
}

}  // namespace walduct::cli
