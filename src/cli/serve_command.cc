#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "admin/health.h"
#include "admin/status_handler.h"
#include "base/environment.h"
#include "base/log.h"
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
#include "loader/load_connector.h"
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
  return Masked(view->config, service.loader().Read(view->config).properties);
}

int RunService(serve::Service& service, const ConsoleSide& side,
               const console::ConsoleOptions& console, engine::ConnectorSet& connectors,
               engine::StopSignal& stop, Clock& clock) {
  const absl::Status open = service.Listen([&](http::Handler& pages) {
    return std::make_unique<console::Console>(
        ConsoleBefore(pages, service.pages(), side, service.access(), console, /*worker=*/true));
  });
  if (!open.ok()) return PrintStatus(open);
  WorkerNotes notes(service.group(), service.addresses());
  notes.Begin(clock.Now());
  // Who asks when nobody answers any more finds them.
  const absl::Status ended = service.Run([&] { notes.Show(connectors.Statuses()); });
  connectors.StopAll();
  stop.Request();
  connectors.AwaitEnd(stop);
  if (service.served()) notes.EndConnectors(connectors.Statuses(), clock.Now());
  service.Leave();
  IgnoreSignals();
  const bool clean = ended.ok() || absl::IsCancelled(ended);
  const int exit_code = clean ? engine::kExitClean : PrintStatus(ended);
  notes.End(clean ? absl::OkStatus() : ended, exit_code, clock.Now());
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
  return RunService(service, *side, worker.console, connectors, stop, *environment.clock);
}

}  // namespace walduct::cli
