#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/environment.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "cli/commands.h"
#include "cli/configuration.h"
#include "cli/demo/demo_settings.h"
#include "cli/listening.h"
#include "cli/process/scratch_folder.h"
#include "cli/process/shutdown_watch.h"
#include "cli/running_process.h"
#include "cli/status/status_screen.h"
#include "cli/status/watch_keys.h"
#include "cli/usage/tones.h"
#include "engine/errors/error_policy.h"
#include "engine/lifecycle/connector.h"
#include "engine/lifecycle/connector_set.h"
#include "loader/load_connector.h"
#include "operate/commands/client_environment.h"
#include "operate/commands/demo.h"
#include "operate/commands/demo_events.h"
#include "slot/world/server_world.h"
#include "slot/world/tail.h"

namespace walduct::cli {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(60);
constexpr absl::Duration kBetweenLooks = absl::Milliseconds(200);

void Say(const std::string& text) {
  std::cout << Toned(HasColours(STDOUT_FILENO), Tone::kGood, "\n==> " + text) << "\n" << std::flush;
}

class Demo {
 public:
  Demo(const Arguments& arguments, const DemoSettings& settings, const loader::LoadResult& loaded,
       engine::StopSignal& stop)
      : arguments_(arguments), settings_(settings), loaded_(loaded), stop_(stop) {}

  // Cleans up, whatever happens.
  absl::Status Run() {
    ASSIGN_OR_RETURN(database_, operate::DemoDatabase::Open(*loaded_.options.database,
                                                            settings_.name, environment_));
    RETURN_IF_ERROR(database_->CheckNothingIsThere());
    RETURN_IF_ERROR(CheckTopics());
    const absl::Status told = Tell();
    IgnoreSignals();
    const absl::Status cleaned = CleanUp();
    return told.ok() ? cleaned : told;
  }

 private:
  absl::Status CheckTopics() {
    if (!settings_.kafka) return absl::OkStatus();
    ASSIGN_OR_RETURN(
        const std::vector<std::string> there,
        operate::DemoTopics(*loaded_.options.kafka, absl::StrCat(settings_.name, ".")));
    if (there.empty()) return absl::OkStatus();
    return Error(absl::StatusCode::kAlreadyExists, "demo_exists",
                 absl::StrCat("Kafka has already ", absl::StrJoin(there, ", "),
                              "; a demo touches nothing that is there"),
                 "--schema NAME takes other names; kafka-topics.sh --delete --topic removes them");
  }

  absl::Status Tell() {
    Say(absl::StrCat("a schema with two tables in database ", settings_.url.database, " at ",
                     settings_.url.host, ":", settings_.url.port));
    for (const std::string& sql : operate::DemoTables(settings_.name))
      std::cout << "  " << sql << ";\n";
    RETURN_IF_ERROR(database_->MakeTables());
    Say("a connector, which could be a file for walduct run -f");
    std::cout << DemoConfigurationText(settings_) << std::flush;
    slot::ServerWorld world(environment_);
    engine::ConnectorSet connectors(world);
    const auto listening = Listening::Open(loaded_, {loaded_}, connectors, *environment_.clock);
    if (!listening.ok()) {
      return Error(absl::StatusCode::kFailedPrecondition, ErrorReason(listening.status()),
                   absl::StrCat("the demo cannot listen: ", listening.status().message()),
                   "--listen names another place");
    }
    url_ = absl::StrCat(loaded_.listen->tls == nullptr ? "http://" : "https://",
                        (*listening)->address().ToString());
    events_ = settings_.kafka ? operate::DemoEvents::InTopics(*loaded_.options.kafka,
                                                              settings_.topics, environment_)
                              : operate::DemoEvents::InFile(SinkFile());
    RETURN_IF_ERROR(connectors.Add({.config = slot::DemoConfig(loaded_.options)}));
    const absl::Status told = Story(connectors);
    stop_.Request();
    connectors.AwaitEnd(stop_);
    return told;
  }

  std::string SinkFile() const {
    for (const auto& [name, value] : settings_.properties)
      if (name == "sink.file.path") return value;
    return "";
  }

  absl::Status Story(const engine::ConnectorSet& connectors) {
    Say(absl::StrCat(
        "what was there before: the snapshot; events come from ",
        settings_.kafka ? absl::StrJoin(settings_.topics, " and ") : "the sink, a file"));
    RETURN_IF_ERROR(Await(connectors, operate::kDemoRows));
    for (const operate::DemoStep& step : operate::DemoSteps(settings_.name)) {
      if (stop_.requested()) return absl::OkStatus();
      Say(step.sql);
      RETURN_IF_ERROR(database_->Run(step.sql));
      RETURN_IF_ERROR(Await(connectors, step.records));
    }
    if (stop_.requested()) return absl::OkStatus();
    Say(absl::StrCat("walduct status --url ", url_));
    RETURN_IF_ERROR(ShowStatus());
    return arguments_.demo.once ? absl::OkStatus() : Follow(connectors);
  }

  // Prints what comes. Aborted: the connector has failed.
  absl::StatusOr<size_t> PrintNew(const engine::ConnectorSet& connectors) {
    ASSIGN_OR_RETURN(const std::vector<operate::DemoRecord> records, events_->Next());
    winsize size = {};
    const bool terminal = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
    for (const operate::DemoRecord& record : records)
      std::cout << operate::DemoLine(record, HasColours(STDOUT_FILENO), terminal ? size.ws_col : 0);
    std::cout << std::flush;
    for (const engine::ConnectorStatus& one : connectors.Statuses()) {
      if (one.state != engine::ConnectorState::kFailed || !records.empty()) continue;
      const std::string why = one.last_error ? one.last_error->message : "its log says why";
      return Error(absl::StatusCode::kFailedPrecondition,
                   one.last_error ? one.last_error->reason : "demo_failed",
                   absl::StrCat("the demo's connector has failed: ", why),
                   one.last_error ? one.last_error->hint : "");
    }
    return records.size();
  }

  absl::Status Await(const engine::ConnectorSet& connectors, size_t expected) {
    const absl::Duration begin = environment_.clock->Monotonic();
    for (size_t come = 0; come < expected && !stop_.requested();) {
      ASSIGN_OR_RETURN(const size_t more, PrintNew(connectors));
      come += more;
      if (come >= expected) break;
      if (environment_.clock->Monotonic() - begin > kPatience) {
        ShowStatus().IgnoreError();
        return Error(absl::StatusCode::kDeadlineExceeded, "demo_silent",
                     absl::StrCat("after ", absl::FormatDuration(kPatience), " ", come, " of ",
                                  expected, " events have come"),
                     "what the connector waits for stands above");
      }
      environment_.poller->WaitReadable({stop_.fd()}, kBetweenLooks);
    }
    return absl::OkStatus();
  }

  absl::Status ShowStatus() {
    Arguments asked;
    asked.url = url_;
    asked.server_tls = arguments_.server_tls;
    ASSIGN_OR_RETURN(const std::string answer, Ask(ServerOf(asked), "/status"));
    ASSIGN_OR_RETURN(const std::string screen,
                     StatusScreen(answer, {.connector = "", .colour = HasColours(STDOUT_FILENO)}));
    std::cout << screen << std::flush;
    return absl::OkStatus();
  }

  absl::Status Follow(const engine::ConnectorSet& connectors) {
    WatchKeys keys;
    Say(absl::StrCat("it goes on until ", keys.fd() >= 0 ? "q or " : "",
                     "Ctrl-C: new events appear here, and then all of it is removed. Meanwhile:"));
    std::cout << "  a browser:         " << url_ << "/console\n"
              << "  another terminal:  walduct status --watch --url " << url_ << "\n"
              << "  and:               psql postgres://" << settings_.url.user << "@"
              << settings_.url.host << ":" << settings_.url.port << "/" << settings_.url.database
              << " -c \"INSERT INTO " << settings_.name
              << ".customers (id, name) VALUES (4, 'Alan')\"\n";
    std::cout << std::flush;
    while (!stop_.requested() && !keys.LeaveAsked()) {
      RETURN_IF_ERROR(PrintNew(connectors).status());
      environment_.poller->WaitReadable({stop_.fd(), keys.fd()}, kBetweenLooks);
    }
    return absl::OkStatus();
  }

  absl::Status CleanUp() {
    Say("what the demo has made is removed; its slot was a temporary one");
    const operate::DemoDatabase::Dropped dropped = database_->DropAll();
    for (const std::string& sql : dropped.done) std::cout << "  " << sql << ";\n";
    absl::Status status = dropped.status;
    if (settings_.kafka && arguments_.demo.delete_topics) {
      const absl::Status deleted =
          operate::DeleteDemoTopics(*loaded_.options.kafka, settings_.topics);
      if (deleted.ok())
        std::cout << "  topics deleted: " << absl::StrJoin(settings_.topics, ", ") << "\n";
      status.Update(deleted);
    } else if (settings_.kafka) {
      std::cout << "  left, for --delete-topics was not given: "
                << absl::StrJoin(settings_.topics, ", ") << "\n";
    }
    std::cout << std::flush;
    return status;
  }

  const Arguments& arguments_;
  const DemoSettings& settings_;
  const loader::LoadResult& loaded_;
  engine::StopSignal& stop_;
  const Environment environment_ = Environment::Real();
  std::unique_ptr<operate::DemoDatabase> database_;
  std::unique_ptr<operate::DemoEvents> events_;
  std::string url_;  // where it listens
};

}  // namespace

int RunDemo(const Arguments& arguments) {
  log::SetLevel(log::Level::kWarn);
  const ScratchFolder folder("demo");
  if (folder.path().empty())
    return Refuse(absl::StrCat("cannot make a temporary folder: ", std::strerror(errno),
                               "; TMPDIR names another place"));
  const absl::StatusOr<DemoSettings> settings = DemoSettingsOf(arguments.demo, folder.path());
  if (!settings.ok()) return PrintStatus(settings.status());
  config::LoadRequest request;
  request.connector_values = settings->properties;
  if (!arguments.demo.worker_file.empty()) request.worker_path = arguments.demo.worker_file;
  const loader::LoadResult loaded = loader::LoadConnector(request, LoginFile());
  for (const std::string& error : loaded.errors) Refuse(error);
  if (!loaded.errors.empty()) return engine::kExitConfiguration;
  operate::IgnoreClientEnvironment(/*tell=*/false);
  engine::StopSignal stop;
  InstallSignals(&stop);
  return PrintStatus(Demo(arguments, *settings, loaded, stop).Run());
}

}  // namespace walduct::cli
