#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>
#include <system_error>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "admin/health.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/environment.h"
#include "base/error.h"
#include "base/log.h"
#include "base/plain_text.h"
#include "cli/commands.h"
#include "cli/configuration.h"
#include "cli/listening.h"
#include "cli/process/last_end.h"
#include "cli/process/shutdown_watch.h"
#include "cli/process/systemd.h"
#include "cli/recover/read_report.h"
#include "cli/run/refused_run.h"
#include "engine/configuration/connector_names.h"
#include "engine/configuration/options_of.h"
#include "engine/configuration/runtime_options.h"
#include "engine/lifecycle/connector.h"
#include "engine/lifecycle/connector_set.h"
#include "http/address.h"
#include "loader/load_connector.h"
#include "names/called.h"
#include "operate/commands/offset_commands.h"
#include "operate/commands/offset_topic_watch.h"
#include "operate/commands/record.h"
#include "operate/commands/table_check.h"
#include "operate/doctor/doctor_report.h"
#include "recover/read/look.h"
#include "recover/read/read_world.h"
#include "recover/replay/replay.h"
#include "recover/replay/replay_attempts.h"
#include "recover/run/recovery.h"
#include "recover/run/recovery_world.h"
#include "slot/world/server_world.h"
#include "slot/world/tail.h"

namespace walduct::cli {
namespace {

bool ParseGoal(const Arguments& arguments, const std::vector<loader::LoadResult>& results,
               engine::RunGoal* goal) {
  goal->until_caught_up = arguments.until_caught_up;
  if (arguments.until_lsn.empty()) return true;
  for (const loader::LoadResult& result : results) {
    if (engine::ReadsSlot(result.options)) continue;
    Refuse(absl::StrCat("--until-lsn: connector ", result.options.name,
                        " polls (walduct.outbox.source=poll), and its rows have no LSN; use "
                        "--until-caught-up"));
    return false;
  }
  const absl::StatusOr<Lsn> lsn = Lsn::Parse(arguments.until_lsn);
  if (!lsn.ok()) {
    Refuse("--until-lsn: " + std::string(lsn.status().message()));
    return false;
  }
  goal->until_lsn = *lsn;
  return true;
}

WantedRun WantedOf(const Arguments& arguments, const std::vector<loader::LoadResult>& results) {
  WantedRun wanted{.connectors = NotedOf(results, arguments),
                   .listen = arguments.listen,
                   .leaves_no_note = arguments.command != Command::kRun};
  for (const loader::LoadResult& result : results)
    if (wanted.listen.empty()) wanted.listen = ReportedValue(result, "walduct.listen");
  return wanted;
}

// Only the environment has asked a command to listen that ends by itself: as a rule the environment
// of a process that runs, which has the port.
bool MayGoUnheard(const Arguments& arguments) {
  return arguments.command != Command::kRun && !arguments.listen.empty() && !arguments.listen_typed;
}

std::vector<std::string> ErrorsOf(const Arguments& arguments,
                                  const std::vector<loader::LoadResult>& results) {
  std::vector<std::string> errors;
  for (size_t i = 0; i < results.size(); ++i)
    for (const std::string& error : results[i].errors)
      errors.push_back(absl::StrCat(arguments.connector_files[i], ": ", error));
  return errors;
}

absl::Duration LongestShutdown(const std::vector<loader::LoadResult>& results) {
  absl::Duration longest;
  for (const loader::LoadResult& result : results)
    longest = std::max(longest, result.options.runtime->shutdown_timeout);
  return longest;
}

// --table and --operation are filters that a connector has. False: refused.
bool AddTailFilters(Arguments* arguments) {
  if (!arguments->tables.empty()) {
    arguments->overrides.emplace_back("table.exclude.list=");
    arguments->overrides.push_back("table.include.list=" + absl::StrJoin(arguments->tables, ","));
  }
  if (arguments->operations.empty()) return true;
  if (arguments->operations.find_first_not_of("cudt,") != std::string::npos) {
    Refuse("--operation: '" + arguments->operations + "': c, u, d, t, or some of them: c,d");
    return false;
  }
  std::vector<std::string> skipped;
  for (const char* operation : {"c", "u", "d", "t"}) {
    if (!absl::StrContains(arguments->operations, operation)) skipped.emplace_back(operation);
  }
  arguments->overrides.push_back("skipped.operations=" +
                                 (skipped.empty() ? "none" : absl::StrJoin(skipped, ",")));
  return true;
}

// The configuration's own snapshot.mode is the connector's, not that of a look at it.
bool AsksForSnapshot(const Arguments& arguments) {
  return arguments.snapshot ||
         std::any_of(arguments.overrides.begin(), arguments.overrides.end(),
                     [](const auto& text) { return absl::StartsWith(text, "snapshot.mode="); });
}

bool PlanTail(Arguments* arguments, slot::TailView* view) {
  if (!AddTailFilters(arguments)) return false;
  const bool plain = arguments->full || arguments->json;
  *view = {.snapshot = AsksForSnapshot(*arguments),
           .full = arguments->full,
           .eyes = !plain && (arguments->pretty || isatty(STDOUT_FILENO) == 1)};
  if (arguments->snapshot) arguments->overrides.emplace_back("snapshot.mode=initial");
  return true;
}

// A shadow's slot is dropped because it is a shadow's, and its changes are nobody's to lose.
void TakeBackWarning(std::vector<loader::LoadResult>* results) {
  for (loader::LoadResult& result : *results) {
    std::vector<std::string>& all = result.warnings;
    all.erase(std::remove_if(all.begin(), all.end(),
                             [](const std::string& one) {
                               return absl::StartsWith(one, "property 'slot.drop.on.stop'");
                             }),
              all.end());
  }
}

// Its slot went with a clean stop, or was dropped by hand, or lost: a shadow has nothing to lose,
// begins anew, and says so. A server that does not answer is the run's to tell.
void BeginAnewWithoutSlot(const loader::LoadResult& shadow, bool to_topics,
                          const Environment& environment) {
  const absl::StatusOr<std::string> why = operate::ForgetWithoutSlot(shadow.options, environment);
  if (!why.ok() || why->empty()) return;
  std::cerr << "shadow: " << PlainText(*why)
            << ": it begins anew; changes between its last end and now are in none of its records";
  if (to_topics)
    std::cerr << ", and walduct diff calls them missing: for a comparison without a gap choose "
                 "another --topics and --directory";
  std::cerr << "\n";
}

bool IsAlive(const engine::ConnectorSet& connectors, Clock& clock) {
  return admin::Liveness(admin::ViewOf(connectors, clock), admin::StatusHandler::kLivenessLimit)
             .status == 200;
}

// Of tail: what --table names has to be there. False: it is not, which has been printed.
bool FindTables(const Arguments& arguments, const std::vector<loader::LoadResult>& results) {
  if (arguments.command != Command::kTail || arguments.tables.empty()) return true;
  for (const loader::LoadResult& result : results) {
    const absl::Status found = operate::CheckTables(
        *result.options.database, *result.options.tables, arguments.tables, Environment::Real());
    // A server that is away is waited for, as without --table.
    if (ErrorReason(found) != "table_not_found") continue;
    PrintStatus(found);
    return false;
  }
  return true;
}

struct RunPlan {
  const Arguments* arguments = nullptr;
  engine::RunGoal goal;
  engine::RunMode mode = engine::RunMode::kRun;
  slot::TailView view = {};
  const loader::LoadResult* listen = nullptr;          // whose listener; null: nothing listens
  const recover::RecoveryOptions* recovery = nullptr;  // null: of the connectors' own servers
  const recover::ReplayOptions* replay = nullptr;
  const recover::ReadOptions* read = nullptr;  // null: the stream is all
  std::string* error = nullptr;  // the reason that it ended for; empty: it was done, or stopped
};

engine::ConnectorOptions OnRestored(const engine::ConnectorOptions& connector,
                                    const recover::RecoveryOptions& recovery) {
  return slot::RestoredConfig(
      connector, {.host = recovery.host, .port = recovery.port, .sslmode = recovery.sslmode});
}

// Of the one connector.
absl::StatusOr<recover::RecoveryOptions> PlanRecovery(
    const Arguments& arguments, const std::vector<loader::LoadResult>& results) {
  if (results.size() > 1)
    return absl::InvalidArgumentError("a recovery takes one connector: one -f");
  const engine::ConnectorOptions& connector = results.front().options;
  absl::StatusOr<recover::RecoveryOptions> recovery = RecoveryOf(arguments.recover);
  if (!recovery.ok()) return recovery;
  if (const absl::Status able = slot::CheckHasGap(connector); !able.ok()) return able;
  const engine::ConnectorNames names = engine::NamesOf(connector);
  recovery->name = names.connector;
  recovery->slot = names.slot;
  recovery->patience = connector.runtime->stall_warning;
  recovery->connector = std::make_shared<const engine::ConnectorOptions>(connector);
  recovery->holding = std::make_shared<const engine::ConnectorOptions>(slot::HoldConfig(connector));
  return recovery;
}

engine::Connector::Options OptionsOf(const loader::LoadResult& loaded, const RunPlan& plan) {
  const bool tails = plan.mode == engine::RunMode::kTail;
  return {.config = tails                      ? slot::TailConfig(loaded.options, plan.view)
                    : plan.recovery != nullptr ? OnRestored(loaded.options, *plan.recovery)
                    : plan.read != nullptr     ? slot::ReadConfig(loaded.options)
                                               : loaded.options,
          .goal = plan.goal,
          .mode = plan.mode};
}

std::unique_ptr<slot::World> WorldOf(const RunPlan& plan, const Environment& environment) {
  if (plan.read != nullptr) return std::make_unique<recover::ReadWorld>(environment, *plan.read);
  if (plan.recovery == nullptr) return std::make_unique<slot::ServerWorld>(environment);
  if (plan.replay != nullptr)
    return std::make_unique<recover::ReplayWorld>(environment, *plan.replay);
  return std::make_unique<recover::RecoveryWorld>(environment, *plan.recovery);
}

std::optional<admin::ProcessNotice> NoticeOf(const absl::Status& trouble) {
  if (trouble.ok()) return std::nullopt;
  return admin::ProcessNotice{.message = std::string(trouble.message()),
                              .hint = ErrorHint(trouble)};
}

engine::ExitCode RunAll(const std::vector<loader::LoadResult>& results, const RunPlan& plan,
                        engine::StopSignal& stop, const Environment& environment) {
  const std::unique_ptr<slot::World> world = WorldOf(plan, environment);
  engine::ConnectorSet connectors(*world);
  operate::OffsetTopicWatch offset_topics;
  if (plan.mode == engine::RunMode::kRun) {
    for (const loader::LoadResult& result : results)
      offset_topics.Add(operate::OffsetTopicOf(result.options, environment));
    offset_topics.Start();
  }
  std::unique_ptr<Listening> listening;
  if (plan.listen != nullptr) {
    auto opened = Listening::Open(*plan.listen, results, connectors, *environment.clock,
                                  [&offset_topics] { return NoticeOf(offset_topics.trouble()); });
    if (!opened.ok() && !MayGoUnheard(*plan.arguments))
      return EndUnheard(WantedOf(*plan.arguments, results), opened.status(),
                        PrintStatus(opened.status()));
    if (opened.ok())
      listening = *std::move(opened);
    else
      log::Warn(absl::StrCat(opened.status().message(), "; it goes on and listens nowhere"),
                {{"hint", "WALDUCT_LISTEN asks for it: --listen HOST:PORT names another place"}});
  }
  for (const loader::LoadResult& result : results) {
    log::SetConnector(result.options.name);
    for (const std::string& warning : result.warnings) log::Warn(warning);
    // CheckDistinct has looked at the names.
    CHECK(connectors.Add(OptionsOf(result, plan)).ok());
  }
  log::SetConnector("");
  const ShutdownWatch watch({.stop = &stop,
                             .connectors = &connectors,
                             .has_goal = plan.goal.set(),
                             .limit = LongestShutdown(results),
                             .environment = environment});
  const char* const notify_socket = std::getenv("NOTIFY_SOCKET");
  const SystemdNotifier notifier({.socket = notify_socket == nullptr ? "" : notify_socket,
                                  .watchdog = SystemdNotifier::WatchdogInterval(),
                                  .alive = [&] { return IsAlive(connectors, *environment.clock); },
                                  .stop = &stop,
                                  .environment = environment});
  std::optional<EndNotes> notes;
  if (plan.mode == engine::RunMode::kRun && plan.replay == nullptr) {
    std::vector<http::Address> listens;
    if (listening != nullptr) listens.push_back(listening->address());
    notes.emplace(NotedOf(results, *plan.arguments), std::move(listens));
    notes->Begin(environment.clock->Now());
  }
  const engine::ExitCode outcome = connectors.AwaitEnd(stop);
  IgnoreSignals();
  if (plan.error != nullptr && !stop.requested()) {
    for (const engine::ConnectorStatus& one : connectors.Statuses())
      if (one.last_error) *plan.error = one.last_error->reason;
  }
  if (notes) notes->End(connectors.Statuses(), environment.clock->Now());
  return outcome;
}

void PrintRecorded(const operate::Recorded& recorded, const std::string& file) {
  std::cout << "recorded " << recorded.changes << " changes in " << recorded.transactions
            << " transactions" << (recorded.cut ? " and a part of one" : "") << ", "
            << recorded.bytes << " bytes, in " << PlainText(file)
            << " (mode 0600: it holds the rows as they are)\n";
}

}  // namespace

int RecordCorpus(const Arguments& arguments) {
  ConfigureLog(arguments);
  loader::LoadResult loaded;
  if (!LoadOne(arguments, &loaded)) return engine::kExitConfiguration;
  log::SetConnector(loaded.options.name);
  for (const std::string& warning : loaded.warnings) log::Warn(warning);
  engine::StopSignal stop;
  InstallSignals(&stop);
  slot::ServerWorld world(Environment::Real());
  const engine::ConnectorOptions config = slot::RecordConfig(loaded.options);
  const Arguments::Record& asked = arguments.record;
  const operate::RecordLimits limits = {
      .changes = asked.changes, .time = absl::Seconds(asked.seconds), .bytes = asked.bytes};
  operate::Recorded recorded;
  const absl::Status status = operate::RecordStream({.config = &config,
                                                     .path = asked.file,
                                                     .overwrite = asked.force,
                                                     .limits = limits,
                                                     .world = &world,
                                                     .stop = &stop},
                                                    &recorded);
  IgnoreSignals();
  if (recorded.begun) PrintRecorded(recorded, asked.file);
  // Stopped before it began: nothing is wrong.
  return stop.requested() && !recorded.begun ? engine::kExitClean : PrintStatus(status);
}

namespace {

absl::StatusOr<recover::ReadOptions> ReadOf(const Arguments& arguments,
                                            const std::vector<loader::LoadResult>& results,
                                            recover::ReadReport* report) {
  if (results.size() > 1)
    return absl::InvalidArgumentError("recover read takes one connector: one -f");
  const engine::ConnectorOptions& connector = results.front().options;
  if (const absl::Status able = slot::CheckHasGap(connector); !able.ok()) return able;
  if (const absl::Status able = slot::CheckReadsBack(connector); !able.ok()) return able;
  recover::ReadOptions options;
  options.folder = arguments.directory.empty() ? "/var/tmp" : arguments.directory;
  std::error_code error;
  if (!std::filesystem::is_directory(options.folder, error)) {
    return absl::InvalidArgumentError(
        absl::StrCat("--directory: '", options.folder, "' is no folder"));
  }
  if (!arguments.tables.empty()) {
    if (const absl::Status found = operate::CheckTables(*connector.database, *connector.tables,
                                                        arguments.tables, Environment::Real());
        ErrorReason(found) == "table_not_found")
      return found;
  }
  const engine::ConnectorNames names = engine::NamesOf(connector);
  options.name = names.connector;
  options.slot = names.slot;
  options.tables = absl::StrJoin(arguments.tables, ",");
  options.accept_loss = arguments.accept_loss;
  options.examples = arguments.examples;
  options.connector = std::make_shared<const engine::ConnectorOptions>(connector);
  options.holding = std::make_shared<const engine::ConnectorOptions>(slot::HoldConfig(connector));
  options.parts = slot::PartsOfRead(connector);
  options.report = report;
  return options;
}

int LookOnly(const recover::ReadOptions& options, const engine::StopSignal& stop) {
  constexpr int kRowsDiffer = 1, kNotCompared = 2;
  const absl::Status looked =
      recover::LookAtTopics(options, Environment::Real(), [&stop] { return stop.requested(); });
  if (!looked.ok()) {
    const int code = PrintStatus(looked);
    return code == kRowsDiffer ? kNotCompared : code;
  }
  PrintRead(*options.report, /*wrote=*/false);
  return options.report->differs() == 0 ? engine::kExitClean : kRowsDiffer;
}

// Ends of a recovery behind which nothing of the gap can be decoded from that server.
bool EndsDecoding(const std::string& reason) {
  return reason == "recover_slot_lost" || reason == "recover_archive_hole" ||
         reason == "recover_backup_too_young";
}

int RecoverRead(const Arguments& arguments, const std::vector<loader::LoadResult>& results,
                RunPlan plan) {
  recover::ReadReport report;
  const absl::StatusOr<recover::ReadOptions> options = ReadOf(arguments, results, &report);
  if (!options.ok()) return PrintStatus(options.status());
  engine::StopSignal stop;
  if (arguments.dry_run) {
    InstallSignals(&stop);
    return LookOnly(*options, stop);
  }
  plan.read = &*options;
  plan.goal.until_caught_up = true;
  if (!ChooseListener(results, &plan.listen)) return engine::kExitConfiguration;
  InstallSignals(&stop);
  const engine::ExitCode outcome = RunAll(results, plan, stop, Environment::Real());
  if (report.done) PrintRead(report, /*wrote=*/true);
  return outcome;
}

}  // namespace

int RunConnectors(const Arguments& given) {
  RunPlan plan;
  Arguments arguments = given;
  if (arguments.command == Command::kTail) {
    plan.mode = engine::RunMode::kTail;
    if (!PlanTail(&arguments, &plan.view)) return engine::kExitConfiguration;
  }
  ConfigureLog(arguments);
  std::vector<loader::LoadResult> results;
  plan.arguments = &arguments;
  if (!LoadAll(arguments, &results))
    return RefuseRun(WantedOf(arguments, results), ErrorsOf(arguments, results));
  if (!CheckDistinct(results) || !ParseGoal(arguments, results, &plan.goal))
    return engine::kExitConfiguration;
  if (!FindTables(given, results)) return engine::kExitConfiguration;
  absl::StatusOr<recover::RecoveryOptions> recovery;
  absl::StatusOr<recover::ReplayOptions> replay;
  if (arguments.command == Command::kReplay) {
    recovery = PlanRecovery(arguments, results);
    if (!recovery.ok()) return PrintStatus(recovery.status());
    replay = ReplayOf(arguments.replay, *recovery);
    if (!replay.ok()) return PrintStatus(replay.status());
    plan.recovery = &*recovery;
    plan.replay = &*replay;
    plan.goal.until_caught_up = true;
  }
  if (arguments.command == Command::kRecoverRun) {
    recovery = PlanRecovery(arguments, results);
    if (!recovery.ok()) return PrintStatus(recovery.status());
    plan.recovery = &*recovery;
    plan.goal.until_caught_up = true;
    if (recovery->then_read) {
      recover::ReadReport unused;
      if (const absl::Status able = ReadOf(arguments, results, &unused).status(); !able.ok())
        return PrintStatus(able);
    }
  }
  if (arguments.command == Command::kRecoverRead) return RecoverRead(arguments, results, plan);
  const bool listens = plan.mode == engine::RunMode::kRun &&
                       (arguments.command != Command::kShadow || !arguments.listen.empty()) &&
                       (arguments.command != Command::kReplay || !arguments.listen.empty());
  if (listens && !ChooseListener(results, &plan.listen)) return engine::kExitConfiguration;
  const Environment environment = Environment::Real();
  if (arguments.command == Command::kShadow) {
    TakeBackWarning(&results);
    BeginAnewWithoutSlot(results.front(), !arguments.topic_prefix.empty(), environment);
  }
  engine::StopSignal stop;
  InstallSignals(&stop);
  plan.view.reader_left = [&stop] { stop.Request(); };
  std::string error;
  plan.error = &error;
  const engine::ExitCode outcome = RunAll(results, plan, stop, environment);
  if (plan.recovery == nullptr || !plan.recovery->then_read || !EndsDecoding(error)) return outcome;
  log::Warn("the rest of the gap cannot be decoded: the tables are read (--then read)",
            {{"reason", error}});
  plan.recovery = nullptr;
  plan.error = nullptr;
  return RecoverRead(arguments, results, plan);
}

int RunReplay(Arguments arguments) {
  std::vector<config::LoadReport> live;
  if (!LoadReports(arguments, &live)) return engine::kExitConfiguration;
  if (live.size() != 1) return Refuse("-f: a replay is of one connector; give -f once");
  const auto properties =
      ReplayProperties(live[0], arguments.replay.to, arguments.recover.state, arguments.overrides);
  if (!properties.ok()) return PrintStatus(properties.status());
  std::vector<std::string>& overrides = arguments.overrides;
  for (const auto& [name, value] : *properties) {
    std::cerr << "replay: " << PlainText(absl::StrCat(name, "=", value)) << "\n";
    std::erase_if(overrides, [begin = name + "="](const std::string& one) {
      return absl::StartsWith(one, begin);
    });
    overrides.push_back(absl::StrCat(name, "=", value));
  }
  return RunConnectors(arguments);
}

}  // namespace walduct::cli
