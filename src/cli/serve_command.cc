#include <cstdlib>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "admin/health.h"
#include "admin/surface.h"
#include "admin/worker_board.h"
#include "base/environment.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "cli/commands.h"
#include "cli/configuration.h"
#include "cli/console/console_side.h"
#include "cli/doctor/doctor_report.h"
#include "cli/listening.h"
#include "cli/process/called_by.h"
#include "cli/process/last_end.h"
#include "cli/process/resting.h"
#include "cli/process/shutdown_watch.h"
#include "cli/process/systemd.h"
#include "cli/serve/seat_watch.h"
#include "console/console.h"
#include "engine/configuration/runtime_options.h"
#include "engine/errors/error_policy.h"
#include "engine/lifecycle/connector_set.h"
#include "http/listener.h"
#include "loader/known_classes.h"
#include "loader/load_connector.h"
#include "loader/load_worker.h"
#include "metrics/topic_board.h"
#include "operate/commands/client_environment.h"
#include "operate/commands/offset_commands.h"
#include "operate/commands/signal_commands.h"
#include "operate/commands/version.h"
#include "rest/gate.h"
#include "rest/interface.h"
#include "rest/kafka_topics.h"
#include "rest/loading.h"
#include "slot/world/server_world.h"

namespace walduct::cli {
namespace {

constexpr absl::Duration kLook = absl::Milliseconds(200);
constexpr absl::Duration kRetry = absl::Seconds(5);
constexpr absl::Duration kComparison = absl::Seconds(1);
// A connector's own limit is not known beforehand.
constexpr absl::Duration kShutdown = absl::Seconds(30);

loader::LoadResult LoadMap(config::LoadRequest request, const rest::ConfigMap& config) {
  request.connector_values.emplace();
  for (const auto& [key, value] : config) {
    if (value) request.connector_values->emplace_back(key, *value);
  }
  return loader::LoadConnector(request);
}

// "property 'x': …"
std::string PropertyOf(const std::string& error) {
  const size_t begin = error.find('\'');
  const size_t end = error.find('\'', begin + 1);
  if (begin == std::string::npos || end == std::string::npos) return "";
  return error.substr(begin + 1, end - begin - 1);
}

rest::ValidationQuestions Questions(const config::LoadRequest& request,
                                    const Environment& environment) {
  rest::ValidationQuestions questions;
  questions.knows = loader::KnowsClass;
  questions.load = [request](const rest::ConfigMap& config) {
    std::vector<std::pair<std::string, std::string>> errors;
    for (const std::string& error : LoadMap(request, config).errors)
      errors.emplace_back(PropertyOf(error), error);
    return errors;
  };
  questions.database = [request, environment](const rest::ConfigMap& config) {
    const loader::LoadResult loaded = LoadMap(request, config);
    if (!loaded.errors.empty()) return std::string();
    return rest::AskDatabase(*loaded.options.database, environment);
  };
  return questions;
}

rest::Loaded LoadForWorker(const config::LoadRequest& request, const rest::ConfigMap& config,
                           const std::string& url) {
  loader::LoadResult loaded = LoadMap(request, config);
  if (!loaded.errors.empty()) return {{}, {}, std::move(loaded.errors)};
  loaded.options.runtime->called = {.who = names::ShellWord(loaded.options.name), .where = url};
  log::SetConnector(loaded.options.name);
  for (const std::string& warning : loaded.warnings) log::Warn(warning);
  log::SetConnector("");
  rest::Loaded result;
  result.topics = std::make_shared<metrics::TopicBoard>();
  if (!loader::CountTopics(result.topics, &loaded)) result.topics.reset();
  result.options = std::make_shared<const engine::ConnectorOptions>(std::move(loaded.options));
  return result;
}

absl::StatusOr<rest::Interface::Parts::Sent> SendSignal(const config::LoadRequest& request,
                                                        const rest::ConfigMap& config,
                                                        const std::string& text,
                                                        const Environment& environment) {
  const loader::LoadResult loaded = LoadMap(request, config);
  if (!loaded.errors.empty()) return absl::FailedPreconditionError(loaded.errors.front());
  auto sent = operate::SendSignalText(SignalReaderOf(loaded.options), text, environment);
  if (!sent.ok()) return sent.status();
  return std::pair(std::move(sent->id), std::move(sent->where));
}

absl::StatusOr<std::string> SkipChange(const config::LoadRequest& request,
                                       const rest::ConfigMap& config, const event::ChangeId& change,
                                       const Environment& environment) {
  const loader::LoadResult loaded = LoadMap(request, config);
  if (!loaded.errors.empty()) return absl::FailedPreconditionError(loaded.errors.front());
  return operate::SkipChange(loaded.options, change, environment);
}

absl::StatusOr<std::string> DoctorOf(const config::LoadRequest& request,
                                     const rest::ConfigMap& config,
                                     const engine::Connectors& connectors) {
  const std::vector<loader::LoadResult> loaded = {LoadMap(request, config)};
  if (!loaded.front().errors.empty())
    return absl::FailedPreconditionError(loaded.front().errors.front());
  return ExamineRunning(AllLanes(loaded), connectors);
}

absl::StatusOr<std::string> MovePosition(const config::LoadRequest& request,
                                         const rest::ConfigMap& config,
                                         const rest::Interface::Parts::Move& asked,
                                         const Environment& environment) {
  const loader::LoadResult loaded = LoadMap(request, config);
  if (!loaded.errors.empty()) return absl::FailedPreconditionError(loaded.errors.front());
  operate::OffsetMove move{
      .to = std::nullopt, .accept_loss = asked.accept_loss, .drop_slot = asked.drop_slot};
  if (!asked.lsn.empty()) {
    const absl::StatusOr<Lsn> lsn = Lsn::Parse(asked.lsn);
    if (!lsn.ok()) return lsn.status();
    move.to = *lsn;
  }
  return operate::MoveOffset(loaded.options, move, environment);
}

absl::StatusOr<admin::ShownConfig> MaskedConfig(const config::LoadRequest& request,
                                                const rest::Worker& worker,
                                                const std::string& name) {
  const std::optional<rest::ConnectorView> view = worker.Find(name);
  if (!view) return absl::NotFoundError(absl::StrCat("There is no connector ", name, "."));
  if (view->foreign) return Masked(view->config, {});
  return Masked(view->config, LoadMap(request, view->config).properties);
}

// For requests between workers, which are refused here: another kind of worker expects one.
std::string RandomKey() {
  std::random_device random;
  std::string key(32, '\0');
  for (char& byte : key) byte = static_cast<char>(random());
  return key;
}

class Serving {
 public:
  // stop is borrowed.
  Serving(rest::WorkerOptions options, const console::ConsoleOptions& console,
          const config::LoadRequest& request, const std::string& log_level,
          engine::StopSignal* stop)
      : options_(std::move(options)),
        console_(console),
        stop_(*stop),
        board_(options_.group_id, *environment_.clock),
        seat_(options_, board_, environment_),
        topics_(options_, environment_, [this] { return seat_.IsAway(); }),
        worker_({.topics = &topics_,
                 .connectors = &connectors_,
                 .environment = environment_,
                 .worker_id = options_.worker_id,
                 .version = operate::LibraryVersions().debezium,
                 .load =
                     [request, url = WorkerUrl(options_)](const rest::ConfigMap& config) {
                       return LoadForWorker(request, config, url);
                     },
                 .may_write = [this] { return seat_.MayWrite(); }}),
        resting_(worker_, connectors_,
                 [request, url = WorkerUrl(options_)](const rest::ConfigMap& config) {
                   return LoadForWorker(request, config, url);
                 }),
        pages_({.connectors = &connectors_,
                .clock = environment_.clock,
                .configs = {},
                .worker = options_.worker_id,
                .known = [this] { return Known(); },
                .board = &board_}),
        side_(console_, {.connectors = &connectors_,
                         .clock = environment_.clock,
                         .board = &board_,
                         .known = [this] { return KnownTo(worker_); },
                         .config =
                             [this, request](const std::string& name) {
                               return MaskedConfig(request, worker_, name);
                             }}),
        interface_(
            {.worker = &worker_,
             .topics = &topics_,
             .pages = &pages_,
             .clock = environment_.clock,
             .questions = Questions(request, environment_),
             .signal =
                 [this, request](const rest::ConfigMap& config, const std::string& text) {
                   return SendSignal(request, config, text, environment_);
                 },
             .skip =
                 [this, request](const rest::ConfigMap& config, const event::ChangeId& change) {
                   return SkipChange(request, config, change, environment_);
                 },
             .doctor =
                 [this, request](const rest::ConfigMap& config) {
                   return DoctorOf(request, config, connectors_);
                 },
             .move =
                 [this, request](const rest::ConfigMap& config,
                                 const rest::Interface::Parts::Move& move) {
                   auto moved = MovePosition(request, config, move, environment_);
                   const std::string* const name = rest::FindValue(config, "name");
                   if (moved.ok() && name != nullptr) resting_.Anew(*name);
                   return moved;
                 },
             .log_level = absl::AsciiStrToUpper(log_level),
             .waits = [this] { return board_.Read().Text(); }}) {}

  int Run() {
    if (const absl::Status open = Listen(); !open.ok()) return PrintStatus(open);
    std::vector<http::Address> addresses;
    for (const auto& listener : listeners_) addresses.push_back(listener->address());
    notes_.emplace(options_.group_id, std::move(addresses));
    notes_->Begin(environment_.clock->Now());
    seat_.ShowWaiting(absl::OkStatus());
    worker_.Start();
    absl::Status left;
    while (left.ok() && !stop_.requested()) {
      left = TakeTurn();
      if (left.ok()) Serve();
    }
    if (served_) log::Info("stopping");
    worker_.Stop();
    connectors_.StopAll();
    stop_.Request();
    connectors_.AwaitEnd(stop_);
    if (served_) notes_->EndConnectors(connectors_.Statuses(), environment_.clock->Now());
    worker_.Leave();
    return End(left);
  }

  engine::ConnectorSet& connectors() { return connectors_; }

 private:
  int End(const absl::Status& status) {
    IgnoreSignals();
    const bool clean = status.ok() || absl::IsCancelled(status);
    const int exit_code = clean ? engine::kExitClean : PrintStatus(status);
    notes_->End(clean ? absl::OkStatus() : status, exit_code, environment_.clock->Now());
    return exit_code;
  }

  absl::Status Listen() {
    for (const rest::ListenerOptions& one : options_.listeners) {
      gates_.push_back(std::make_unique<rest::Gate>(interface_, *environment_.clock,
                                                    options_.access, one.listens));
      http::Handler* handler = gates_.back().get();
      if (one.listens != rest::Listens::kAdminOnly) {
        consoles_.push_back(std::make_unique<console::Console>(
            ConsoleBefore(*handler, pages_, side_, options_.access, console_, /*worker=*/true)));
        handler = consoles_.back().get();
      }
      auto listener = http::Listener::Open(one.address, handler, one.tls.get());
      if (!listener.ok()) return listener.status();
      listeners_.push_back(*std::move(listener));
      log::Info("listening", {{"address", listeners_.back()->address().ToString()},
                              {"tls", one.tls == nullptr ? "no" : "yes"}});
    }
    return absl::OkStatus();
  }

  // Who asks when nobody answers any more finds them.
  void KeepNotes() {
    if (served_) notes_->Show(connectors_.Statuses());
  }

  // What compares all connectors, and not at each look at the seat.
  void LookAtConnectors() {
    const absl::Duration now = environment_.clock->Monotonic();
    if (now < next_comparison_) return;
    next_comparison_ = now + kComparison;
    resting_.Look();
    KeepNotes();
  }

  // Connectors of other classes have no version.
  std::vector<admin::IdleConnector> Known() const {
    std::vector<admin::IdleConnector> all;
    for (const std::string& name : worker_.Names()) {
      const std::optional<rest::StatusView> view = worker_.StatusOf(name);
      if (view && !view->version.empty()) all.push_back({.name = name, .state = view->state});
    }
    return all;
  }

  void Wait(absl::Duration wait) { environment_.poller->WaitReadable({stop_.fd()}, wait); }

  // Until the group's seat is ours and it is known what is to run. What ends a first turn passes
  // later: it went well once.
  absl::Status TakeTurn() {
    while (!stop_.requested()) {
      const absl::Status taken = TryTurn();
      if (taken.ok() || absl::IsCancelled(taken)) return taken;
      const engine::Phase phase = served_ ? engine::Phase::kRunning : engine::Phase::kStarting;
      if (engine::ActionFor(taken, phase) == engine::Action::kFail) return taken;
      seat_.ShowWaiting(taken);
      Wait(kRetry);
    }
    return absl::CancelledError();
  }

  absl::Status TryTurn() {
    RETURN_IF_ERROR(topics_.Prepare());
    RETURN_IF_ERROR(seat_.Ask());
    RETURN_IF_ERROR(AwaitSeat());
    seat_.ShowReading();
    RETURN_IF_ERROR(worker_.Load());
    RETURN_IF_ERROR(worker_.WriteSession(RandomKey()));
    served_ = true;
    seat_.Look(/*serves=*/true);
    interface_.Open(topics_.ClusterId());
    log::Info("serving", {{"group", options_.group_id}, {"connectors", worker_.Names().size()}});
    return absl::OkStatus();
  }

  absl::Status AwaitSeat() {
    while (!stop_.requested()) {
      if (seat_.Look(/*serves=*/false) == kafka::SeatVerdict::kOurs) return absl::OkStatus();
      RETURN_IF_ERROR(seat_.Refused());
      Wait(kLook);
    }
    return absl::CancelledError();
  }

  // Until a stop is asked for, or the seat is another worker's: then nothing of ours runs.
  void Serve() {
    while (!stop_.requested()) {
      const kafka::SeatVerdict verdict = seat_.Look(/*serves=*/true, worker_.TopicsTrouble());
      if (verdict == kafka::SeatVerdict::kTaken || verdict == kafka::SeatVerdict::kMayBeTaken) {
        interface_.Close();
        seat_.Look(/*serves=*/false);
        log::Warn(
            "the group's seat is another worker's now, or may be: all connectors are stopped "
            "here",
            {{"group", options_.group_id}});
        worker_.Forget();
        resting_.Look();
        return;
      }
      LookAtConnectors();
      Wait(kLook);
    }
  }

  const rest::WorkerOptions options_;
  const console::ConsoleOptions console_;
  engine::StopSignal& stop_;
  const Environment environment_ = Environment::Real();
  slot::ServerWorld world_{environment_};
  engine::ConnectorSet connectors_{world_};
  std::optional<WorkerNotes> notes_;  // once it listens
  admin::WorkerBoard board_;
  SeatWatch seat_;  // before those that ask it
  rest::KafkaTopics topics_;
  bool served_ = false;
  absl::Duration next_comparison_;
  rest::Worker worker_;
  RestingConnectors resting_;
  admin::Surface pages_;
  const ConsoleSide side_;
  rest::Interface interface_;
  std::vector<std::unique_ptr<rest::Gate>> gates_;
  std::vector<std::unique_ptr<console::Console>> consoles_;
  std::vector<std::unique_ptr<http::Listener>> listeners_;  // last: they use what is above
};

}  // namespace

int Serve(const Arguments& arguments) {
  ConfigureLog(arguments);
  std::optional<config::LoadRequest> request = MakeRequest(arguments);
  if (!request) return engine::kExitConfiguration;
  loader::WorkerResult worker = loader::LoadWorker(*request, LoginFile());
  for (const std::string& error : worker.errors)
    Refuse(absl::StrCat(arguments.worker_file, ": ", error));
  if (!worker.errors.empty()) return engine::kExitConfiguration;
  for (const std::string& warning : worker.warnings) log::Warn(warning);
  operate::IgnoreClientEnvironment(/*tell=*/true);
  const Environment environment = Environment::Real();
  engine::StopSignal stop;
  InstallSignals(&stop);
  Serving serving(std::move(worker.options), worker.console, *request, arguments.log_level, &stop);
  const ShutdownWatch watch({.stop = &stop,
                             .connectors = &serving.connectors(),
                             .limit = kShutdown,
                             .environment = environment});
  const char* const notify_socket = std::getenv("NOTIFY_SOCKET");
  const SystemdNotifier notifier(
      {.socket = notify_socket == nullptr ? "" : notify_socket,
       .watchdog = SystemdNotifier::WatchdogInterval(),
       .alive =
           [&] {
             return admin::Liveness(admin::LookAt(serving.connectors(), *environment.clock),
                                    admin::Surface::kLivenessLimit)
                        .status == 200;
           },
       .stop = &stop,
       .environment = environment});
  return serving.Run();
}

}  // namespace walduct::cli
