#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/environment.h"
#include "base/error.h"
#include "base/json.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "cli/commands.h"
#include "cli/configuration.h"
#include "cli/demo/demo_settings.h"
#include "cli/outbox/rows_command.h"
#include "cli/process/own_child.h"
#include "cli/process/scratch_folder.h"
#include "cli/process/shutdown_watch.h"
#include "engine/configuration/options_of.h"
#include "engine/control/stop_signal.h"
#include "engine/errors/error_policy.h"
#include "operate/commands/client_environment.h"
#include "operate/outbox/outbox_drill.h"
#include "operate/outbox/outbox_rows.h"

namespace walduct::cli {
namespace {

constexpr absl::Duration kPatience = absl::Seconds(60);
constexpr absl::Duration kBetweenLooks = absl::Milliseconds(100);
// Of the key of the event that cannot be published, that one and all behind it.
constexpr int kHeld = (operate::kDrillEvents - operate::kDrillBad) / operate::kDrillKeys + 1;

struct DrillSettings {
  std::string schema, topic;
  std::string connector;  // a file
  std::string file;       // of events, without Kafka
  std::string log;        // of the connector
  bool kafka = false;
  std::vector<std::pair<std::string, std::string>> properties;
  std::vector<std::string> run;  // the connector, as it is typed
};

absl::StatusOr<DrillSettings> SettingsOf(const OutboxDrillRequest& asked,
                                         const std::string& folder) {
  ASSIGN_OR_RETURN(const operate::DemoUrl url, ReadUrl(asked.url, asked.password_file));
  RETURN_IF_ERROR(CheckSchemaName(asked.schema));
  DrillSettings settings{.schema = asked.schema,
                         .topic = absl::StrCat(asked.schema, ".events"),
                         .connector = folder + "/drill.json",
                         .file = folder + "/events.jsonl",
                         .log = folder + "/walduct.log",
                         .kafka = !asked.bootstrap_servers.empty() || !asked.worker_file.empty(),
                         .properties = {},
                         .run = {}};
  constexpr char kStrings[] = "org.apache.kafka.connect.storage.StringConverter";
  auto& all = settings.properties;
  all = {{"name", asked.schema},
         {"connector.class", "io.debezium.connector.postgresql.PostgresConnector"},
         {"database.hostname", url.host},
         {"database.port", url.port},
         {"database.dbname", url.database},
         {"database.user", url.user},
         {"database.password", url.password},
         {"topic.prefix", asked.schema},
         {"walduct.outbox.source", "poll"},
         {"walduct.outbox.tables", absl::StrCat(asked.schema, "\\.outbox")},
         {"walduct.outbox.max.attempts", absl::StrCat(operate::kDrillAttempts)},
         {"walduct.outbox.attempts.backoff.ms", "100"},
         {"walduct.outbox.poll.interval.ms", "500"},
         {"transforms", "outbox"},
         {"transforms.outbox.type", "io.debezium.transforms.outbox.EventRouter"},
         {"transforms.outbox.route.by.field", "aggregate_type"},
         {"transforms.outbox.table.field.event.key", "aggregate_id"},
         {"transforms.outbox.route.topic.replacement",
          absl::StrCat(asked.schema, ".${routedByValue}")},
         {"key.converter", kStrings},
         {"value.converter", kStrings},
         {"offset.storage", "org.apache.kafka.connect.storage.MemoryOffsetBackingStore"}};
  if (!url.sslmode.empty()) all.emplace_back("database.sslmode", url.sslmode);
  AddDestination(settings.kafka, asked.bootstrap_servers, settings.file, &all);
  if (!settings.kafka) all.emplace_back("walduct.outbox.publish.locally", "true");
  settings.run = {"run", "-f", settings.connector, "--log-level", "error"};
  if (!asked.worker_file.empty())
    settings.run.insert(settings.run.end(), {"-w", asked.worker_file});
  return settings;
}

// In a folder that nobody else reads.
bool WriteConnector(const DrillSettings& settings) {
  JsonWriter json;
  json.Object().Key("name").Text(settings.schema).Key("config").Object();
  for (const auto& [name, value] : settings.properties)
    if (name != "name") json.Key(name).Text(value);
  std::ofstream file(settings.connector);
  file << json.EndObject().EndObject().text() << "\n";
  file.close();
  return file.good();
}

void Say(const std::string& text) { std::cout << "drill: " << text << std::endl; }

class Drill {
 public:
  Drill(const DrillSettings& settings, const engine::ConnectorOptions& options,
        const engine::StopSignal& stop)
      : settings_(settings), options_(options), stop_(stop) {}

  // Cleans up, whatever happens.
  absl::Status Run(bool delete_topics) {
    ASSIGN_OR_RETURN(database_, operate::DrillDatabase::Open(engine::DatabaseOf(options_),
                                                             settings_.schema, environment_));
    RETURN_IF_ERROR(CheckTopics());
    const absl::Status told = Tell();
    IgnoreSignals();
    connector_.reset();
    absl::Status cleaned = database_->Drop();
    if (settings_.kafka && delete_topics)
      cleaned.Update(operate::DeleteDemoTopics(engine::KafkaOf(options_), {settings_.topic}));
    return told.ok() ? cleaned : told;
  }

  // There is something whose events could arrive.
  bool begun() const { return begun_; }

 private:
  absl::Status CheckTopics() {
    if (!settings_.kafka) return absl::OkStatus();
    ASSIGN_OR_RETURN(
        const std::vector<std::string> there,
        operate::DemoTopics(engine::KafkaOf(options_), absl::StrCat(settings_.schema, ".")));
    if (there.empty()) return absl::OkStatus();
    return Error(absl::StatusCode::kAlreadyExists, "drill_exists",
                 absl::StrCat("Kafka has already ", absl::StrJoin(there, ", "),
                              "; a drill touches nothing that is there"),
                 "--schema NAME takes other names; kafka-topics.sh --delete --topic removes them, "
                 "as --delete-topics does at the end of a drill");
  }

  absl::Status Tell() {
    RETURN_IF_ERROR(database_->Make());
    begun_ = true;
    Say(absl::StrCat("made the table ", settings_.schema, ".outbox"));
    RETURN_IF_ERROR(database_->Write());
    Say(absl::StrCat("wrote ", operate::kDrillEvents, " events of ", operate::kDrillKeys,
                     " keys, of which one cannot be published, and one that was rolled back"));
    events_ = settings_.kafka ? operate::DemoEvents::InTopics(engine::KafkaOf(options_),
                                                              {settings_.topic}, environment_)
                              : operate::DemoEvents::InFile(settings_.file);
    connector_.emplace(settings_.run, settings_.log);
    return Story();
  }

  absl::Status Story() {
    constexpr int kFirst = operate::kDrillEvents - kHeld;
    RETURN_IF_ERROR(Await(kFirst, kHeld, 1));
    if (tally_.of_bad_key() != operate::kDrillEvents / operate::kDrillKeys - kHeld)
      return Error(absl::StatusCode::kDataLoss, "drill_failed",
                   "the drill: events passed the one of their key that cannot be published");
    Say(absl::StrCat(kFirst, " events have arrived in ", settings_.kafka ? "topic " : "the file, ",
                     settings_.topic, "; one is parked, and ", kHeld - 1,
                     " of its key wait behind it"));
    RETURN_IF_ERROR(Retry());
    RETURN_IF_ERROR(Await(operate::kDrillEvents, 0, 0));
    Say(absl::StrCat("all ", operate::kDrillEvents,
                     " events have arrived, each once and those of a key in their order; all are "
                     "marked; none that was rolled back"));
    const int code = connector_->Stop();
    if (code == engine::kExitClean) return absl::OkStatus();
    return Error(absl::StatusCode::kDataLoss, "drill_failed",
                 absl::StrCat("the drill: the connector was told to stop, and ended with ", code));
  }

  absl::Status Retry() {
    RETURN_IF_ERROR(database_->Mend());
    ASSIGN_OR_RETURN(const operate::DrillDatabase::State state, database_->Look());
    operate::OutboxRowsRequest retry;
    retry.act = operate::OutboxRowsRequest::Act::kRetry;
    retry.rows = {state.row};
    ASSIGN_OR_RETURN(const std::string answer,
                     operate::AskOutboxRows(options_, retry, environment_));
    bool done = false;
    std::string text = OutboxRowsText(answer, &done);
    if (!text.empty()) text.pop_back();
    Say("mended it: " + text);
    if (done) return absl::OkStatus();
    return Error(absl::StatusCode::kDataLoss, "drill_failed",
                 absl::StrCat("the drill: the event that was mended is not tried again: ", text));
  }

  // So many have come, and the table's rows are as they should be.
  absl::Status Await(int come, int open, int parked) {
    const absl::Duration begin = environment_.clock->Monotonic();
    while (true) {
      if (stop_.requested()) return absl::CancelledError("interrupted");
      ASSIGN_OR_RETURN(const std::vector<operate::DemoRecord> records, events_->Next());
      for (const operate::DemoRecord& record : records) RETURN_IF_ERROR(tally_.Add(record));
      RETURN_IF_ERROR(CheckRuns());
      ASSIGN_OR_RETURN(const operate::DrillDatabase::State state, database_->Look());
      if (tally_.come() == come && state.open == open && state.parked == parked)
        return absl::OkStatus();
      if (environment_.clock->Monotonic() - begin > kPatience)
        return Error(
            absl::StatusCode::kDataLoss, "drill_failed",
            absl::StrCat("the drill: after ", absl::FormatDuration(kPatience), " ", tally_.come(),
                         " of ", come, " events have arrived, ", state.open, " rows of ", open,
                         " are open and ", state.parked, " of ", parked, " parked"));
      environment_.poller->WaitReadable({stop_.fd()}, kBetweenLooks);
    }
  }

  absl::Status CheckRuns() {
    const std::optional<int> code = connector_->exit_code();
    if (!code) return absl::OkStatus();
    std::ifstream log(settings_.log);
    std::string last;
    for (std::string line; std::getline(log, line);)
      if (!line.empty()) last = line;
    return Error(absl::StatusCode::kFailedPrecondition, "drill_failed",
                 absl::StrCat("the drill's connector has ended with ", *code, ": ", last));
  }

  const DrillSettings& settings_;
  const engine::ConnectorOptions& options_;
  const engine::StopSignal& stop_;
  const Environment environment_ = Environment::Real();
  std::unique_ptr<operate::DrillDatabase> database_;
  std::unique_ptr<operate::DemoEvents> events_;
  operate::DrillTally tally_;
  bool begun_ = false;
  std::optional<OwnChild> connector_;
};

}  // namespace

int RunOutboxDrill(const Arguments& arguments) {
  const OutboxDrillRequest& asked = arguments.outbox_drill;
  log::SetLevel(log::Level::kError);
  const ScratchFolder folder("outbox-drill");
  if (folder.path().empty())
    return Refuse(absl::StrCat("cannot make a temporary folder: ", std::strerror(errno),
                               "; TMPDIR names another place"));
  const absl::StatusOr<DrillSettings> settings = SettingsOf(asked, folder.path());
  if (!settings.ok()) return PrintStatus(settings.status());
  if (!WriteConnector(*settings)) return Refuse("cannot write " + settings->connector);
  operate::IgnoreClientEnvironment(/*tell=*/false);
  // The connector's own listener would be that of another process.
  unsetenv("WALDUCT_LISTEN");
  Arguments files;
  files.connector_files = {settings->connector};
  files.worker_file = asked.worker_file;
  engine::StopSignal stop;
  InstallSignals(&stop);
  return ForEachConnector(files, [&](const std::string&, const auto& options) -> int {
    Drill drill(*settings, options, stop);
    const absl::Status done = drill.Run(asked.delete_topics);
    if (done.ok()) return engine::kExitClean;
    PrintStatus(done);
    return drill.begun() ? engine::kExitFailure : engine::kExitConfiguration;
  });
}

}  // namespace walduct::cli
