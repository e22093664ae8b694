#include "cli/arguments.h"

#include <CLI/CLI.hpp>
#include <map>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "cli/argument_parts.h"
#include "cli/completion.h"
#include "engine/commands/version.h"
#include "engine/errors/error_policy.h"

namespace walduct::cli {
namespace {

// The names of a map; help shows them alone.
template <typename Map>
CLI::Validator OneOf(const Map& values) {
  const std::string names = absl::StrJoin(
      values, ",", [](std::string* out, const auto& value) { out->append(value.first); });
  return CLI::CheckedTransformer(values).description(absl::StrCat("{", names, "}"));
}

void AddLogging(CLI::App* command, Arguments* arguments) {
  command->add_option("--log-level", arguments->log_level, "debug, info, warn or error")
      ->check(CLI::IsMember({"debug", "info", "warn", "error"}));
  command->add_option("--log-format", arguments->log_format, "text or json")
      ->check(CLI::IsMember({"text", "json"}));
}

void AddRun(CLI::App* app, Arguments* arguments) {
  auto* run = app->add_subcommand("run", "Stream until SIGTERM or SIGINT");
  AddConfiguration(run, arguments, true);
  AddLogging(run, arguments);
  auto* until_lsn = run->add_option("--until-lsn", arguments->until_lsn,
                                    "Stop once everything up to this LSN is delivered");
  run->add_option("--listen", arguments->listen,
                  "HOST:PORT or https://HOST:PORT to answer on: /metrics, /livez, /readyz, "
                  "/status, Connect's REST "
                  "interface for reading")
      ->envname("WALDUCT_LISTEN");
  run->add_flag("--until-caught-up", arguments->until_caught_up,
                "Stop once the WAL that exists at the start is delivered")
      ->excludes(until_lsn);
  run->callback([arguments] { arguments->command = Command::kRun; });
}

void AddServe(CLI::App* app, Arguments* arguments) {
  auto* serve = app->add_subcommand(
      "serve", "Run what the topics of a Kafka Connect worker say, with its REST interface");
  serve
      ->add_option("-w,--worker", arguments->worker_file,
                   "Worker properties, as of connect-distributed")
      ->type_name("FILE")
      ->required();
  serve->add_option("-o,--override", arguments->overrides, "key=value; overrides the file")
      ->type_name("KEY=VALUE");
  AddLogging(serve, arguments);
  serve->callback([arguments] { arguments->command = Command::kServe; });
}

void AddTail(CLI::App* app, Arguments* arguments) {
  auto* tail = app->add_subcommand(
      "tail", "Print changes as they come, a line each; uses a temporary slot, stores nothing");
  AddConfiguration(tail, arguments, true);
  AddLogging(tail, arguments);
  tail->add_flag("--full", arguments->full, "All of each record, not one line of it");
  tail->add_option("--table", arguments->tables,
                   "Only this one: public.orders, or a regular expression; once per table")
      ->type_name("TABLE")
      ->allow_extra_args(false);
  tail->add_option("--operation", arguments->operations,
                   "Only these: c (insert), u (update), d (delete), t (truncate), e.g. c,d")
      ->type_name("LIST");
  tail->add_flag("--snapshot", arguments->snapshot, "First the rows that are there");
  tail->callback([arguments] { arguments->command = Command::kTail; });
}

// At least one; anything else is refused with a word on what would do.
CLI::Validator WholeNumber(const char* example) {
  const auto check = [example](const std::string& text) {
    uint64_t number = 0;
    if (absl::SimpleAtoi(text, &number) && number > 0) return std::string();
    return absl::StrCat("'", text, "': give a whole number, at least 1, such as ", example);
  };
  return CLI::Validator(check, "");
}

void AddRecord(CLI::App* app, Arguments* arguments) {
  auto* record = app->add_subcommand(
      "record", "Record a connector's stream in a file for bench/decode; uses a temporary slot");
  Arguments::Record* asked = &arguments->record;
  record
      ->add_option("output", asked->file,
                   "File to write, mode 0600: it holds the rows as they are; a new one")
      ->type_name("FILE")
      ->required();
  AddConfiguration(record, arguments, true);
  AddLogging(record, arguments);
  record
      ->add_option("--changes", asked->changes,
                   "End behind the transaction that makes it so many changes")
      ->type_name("NUMBER")
      ->check(WholeNumber("100000"));
  record->add_option("--seconds", asked->seconds, "End after so long, behind a transaction")
      ->type_name("NUMBER")
      ->check(WholeNumber("60"));
  record->add_option("--bytes", asked->bytes, "End at once when it is so large")
      ->type_name("NUMBER")
      ->capture_default_str()
      ->check(WholeNumber("100000000"));
  record->add_flag("--force", asked->force, "Overwrite a file that is there");
  record->callback([arguments] { arguments->command = Command::kRecord; });
}

void AddShadow(CLI::App* app, Arguments* arguments) {
  auto* shadow = app->add_subcommand(
      "shadow",
      "Stream a live connector's changes a second time, by a slot, topics and position of its own");
  AddConfiguration(shadow, arguments, true);
  AddLogging(shadow, arguments);
  shadow->add_option("--topics", arguments->topic_prefix,
                     "Before the name of each topic; without it records go to a file");
  shadow
      ->add_option("--directory", arguments->directory,
                   "Keeps the shadow's position (offsets.dat) and records (records.jsonl)")
      ->type_name("FILE")
      ->required();
  shadow->callback([arguments] { arguments->command = Command::kShadow; });
}

void AddDiff(CLI::App* app, Arguments* arguments) {
  auto* diff = app->add_subcommand(
      "diff", "Compare the topics of two connectors, such as a live one and its shadow");
  AddConfiguration(diff, arguments, true);
  diff->add_option("--left", arguments->left, "What its topics' names begin with: shop.")
      ->type_name("PREFIX")
      ->required();
  diff->add_option("--right", arguments->right, "The other's: shadow.shop.")
      ->type_name("PREFIX")
      ->required();
  diff->add_option("--ignore", arguments->ignored,
                   "A field that is not compared: after.updated_at, schema, headers; once per "
                   "field")
      ->type_name("FIELD")
      ->allow_extra_args(false);
  diff->add_option("--examples", arguments->examples, "Shown of each kind and topic")
      ->capture_default_str();
  diff->callback([arguments] { arguments->command = Command::kDiff; });
}

void AddValidate(CLI::App* app, Arguments* arguments) {
  auto* validate =
      app->add_subcommand("validate", "Check a configuration without touching any server");
  AddConfiguration(validate, arguments, false);
  validate->add_flag("--print-reference", arguments->print_reference,
                     "Print docs/configuration.md");
  validate->add_flag("--database", arguments->ask_database,
                     "also connect to the database and show how the outbox tables are mapped");
  validate->add_flag("--print-transforms", arguments->print_transforms,
                     "Print docs/transforms.md: every transform and its options");
  validate->callback([arguments] { arguments->command = Command::kValidate; });
}

void AddDoctor(CLI::App* app, Arguments* arguments) {
  auto* doctor =
      app->add_subcommand("doctor", "Ask the servers for all that would go wrong; changes nothing");
  doctor->add_option("connector", arguments->connector,
                     "Of a running process, which looks for itself; else -f");
  AddConfiguration(doctor, arguments, false);
  AddProcess(doctor, arguments);
  auto* json = doctor->add_flag("--json", arguments->json, "As JSON");
  doctor->add_flag("--fix", arguments->fix, "As a shell script that puts right what a command can")
      ->excludes(json);
  doctor->callback([arguments] { arguments->command = Command::kDoctor; });
}

void AddOffsets(CLI::App* app, Arguments* arguments) {
  auto* offsets = app->add_subcommand("offsets", "The stored position, as Connect's REST body");
  offsets->require_subcommand(1);
  auto* show = offsets->add_subcommand("show", "Print it; of several -f one after the other");
  AddOfConnector(show, arguments, nullptr, false, "");
  show->callback([arguments] { arguments->command = Command::kShowOffsets; });
  auto* save = offsets->add_subcommand(
      "export",
      "Write it to a file, or to standard output: walduct offsets export shop > back.json");
  AddOfConnector(save, arguments, &arguments->offsets_file, false, "a file (-: standard output)");
  save->callback([arguments] {
    if (arguments->offsets_file.empty()) arguments->offsets_file = "-";
    arguments->command = Command::kExportOffsets;
  });
  auto* load = offsets->add_subcommand(
      "import", "Store the position from a file: walduct offsets import shop back.json");
  AddOfConnector(load, arguments, &arguments->offsets_file, true, "a file (-: standard input)");
  load->callback([arguments] { arguments->command = Command::kImportOffsets; });
  constexpr char kAcceptLoss[] = "Do it also when changes are never published for it";
  auto* set = offsets->add_subcommand("set", "Go on after what was committed up to an LSN");
  AddOfConnector(set, arguments, &arguments->lsn, true,
                 "an LSN as PostgreSQL prints it (0/16B3748)");
  set->add_flag("--accept-loss", arguments->accept_loss, kAcceptLoss);
  set->callback([arguments] { arguments->command = Command::kSetOffsets; });
  auto* reset = offsets->add_subcommand(
      "reset",
      "Forget it: the next start is a first one; a slot that is lost is dropped. One that has "
      "failed begins again at once");
  AddOfConnector(reset, arguments, nullptr, false, "");
  reset->add_flag("--accept-loss", arguments->accept_loss, kAcceptLoss);
  reset->add_flag("--drop-slot", arguments->drop_slot, "Drop the slot in any case");
  reset->callback([arguments] { arguments->command = Command::kResetOffsets; });
}

void AddStatus(CLI::App* app, Arguments* arguments) {
  auto* status = app->add_subcommand("status", "What a running process is doing");
  status->footer(
      "Exit codes: 0 it has answered; 6 its worker waits, as a rule for Kafka; 7 its worker "
      "stands\n"
      "by, for another one serves the group; 1 nobody answers; 2 there is no such connector");
  status->add_option("connector", arguments->connector, "Its name; all without it");
  AddConfiguration(status, arguments, false);
  AddProcess(status, arguments);
  auto* watch = status->add_flag("--watch", arguments->watch, "Again every second");
  auto* json = status->add_flag("--json", arguments->json, "As JSON");
  auto* alive = status->add_flag("--alive", arguments->alive,
                                 "Only ask /livez: exit code 0 when the process lives, else 1");
  status
      ->add_flag("--ready", arguments->ready,
                 "Only ask /readyz: exit code 0 when all connectors work, else 1")
      ->excludes(alive)
      ->excludes(watch)
      ->excludes(json);
  alive->excludes(watch)->excludes(json);
  status->callback([arguments] { arguments->command = Command::kStatus; });
}

void AddLevers(CLI::App* app, Arguments* arguments) {
  struct Lever {
    const char* name;
    const char* text;
    Command command;
  };
  constexpr Lever kLevers[] = {
      {"pause", "Let a connector of a running walduct serve rest; its slot keeps the WAL",
       Command::kPause},
      {"resume", "Let it go on where it was", Command::kResume},
      {"stop", "Let it end; its position can be changed then", Command::kStop},
      {"restart", "Begin again from the stored position, also after a failure", Command::kRestart}};
  for (const Lever& lever : kLevers) {
    auto* command = app->add_subcommand(lever.name, lever.text);
    command->add_option("connector", arguments->connector, "Its name")->required();
    AddProcess(command, arguments);
    command->callback([arguments, which = lever.command] { arguments->command = which; });
  }
}

void AddSkip(CLI::App* app, Arguments* arguments) {
  auto* skip = app->add_subcommand(
      "skip", "Leave one change out for good: the one that a connector has failed at");
  skip->add_option("connector", arguments->connector, "Its name, in a running walduct serve");
  skip->add_option("--lsn", arguments->lsn, "The change, as the error names it: 0/16B3748:3")
      ->type_name("LSN:NUMBER")
      ->required();
  skip->add_flag("--yes", arguments->yes, "Do not ask");
  AddConfiguration(skip, arguments, false);
  AddProcess(skip, arguments);
  skip->callback([arguments] { arguments->command = Command::kSkip; });
}

void AddExplain(CLI::App* app, Arguments* arguments) {
  auto* explain = app->add_subcommand(
      "explain", "What the reason of an error means, and what to do; or where an LSN lies");
  explain
      ->add_option("reason", arguments->reason,
                   "As after reason=, an SQLSTATE, an alert; or an LSN (0/16B3748); or a "
                   "connector's name: what it failed of. All reasons without it, or with -f that "
                   "connector")
      ->type_name("REASON");
  AddConfiguration(explain, arguments, false);
  AddProcess(explain, arguments);
  explain->callback([arguments] { arguments->command = Command::kExplain; });
}

void AddOutboxNames(CLI::App* init, outbox::InitOptions* names, std::string* url) {
  static const std::map<std::string, outbox::Flavour> kFlavours = {
      {"table", outbox::Flavour::kTable},
      {"partitioned", outbox::Flavour::kPartitioned},
      {"message", outbox::Flavour::kMessage}};
  init->add_option("--flavour", names->flavour,
                   "table, partitioned (by day) or message (pg_logical_emit_message, no table)")
      ->transform(OneOf(kFlavours));
  init->add_option("--schema", names->schema, "Schema of the tables")->capture_default_str();
  init->add_option("--table", names->table, "The outbox table")->capture_default_str();
  init->add_option("--inbox-table", names->inbox_table, "The consumer's inbox table")
      ->capture_default_str();
  init->add_option("--role", names->role, "Role that walduct connects as")->capture_default_str();
  init->add_option("--application-role", names->application_role,
                   "Existing role of the application, which is granted INSERT");
  init->add_option("--publication", names->publication)->capture_default_str();
  init->add_option("--slot", names->slot, "Replication slot")->capture_default_str();
  init->add_option("--connector", names->connector, "Name of the connector and topic.prefix")
      ->capture_default_str();
  init->add_option("--message-prefix", names->message_prefix, "Prefix of logical messages")
      ->capture_default_str();
  init->add_flag("--cleanup", names->cleanup, "Include what housekeeping needs");
  auto* const host =
      init->add_option("--host", names->host, "Where the connector finds the server");
  auto* const port = init->add_option("--port", names->port, "Its port");
  auto* const database = init->add_option("--database", names->database, "The database");
  init->add_option("--url", *url, "postgres://HOST:PORT/DATABASE in place of these three")
      ->excludes(host)
      ->excludes(port)
      ->excludes(database);
}

void AddOutbox(CLI::App* app, Arguments* arguments) {
  auto* outbox = app->add_subcommand("outbox", "Set an outbox table up, or clean it");
  outbox->require_subcommand(1);
  auto* init = outbox->add_subcommand("init", "Print SQL and the matching connector configuration");
  AddOutboxNames(init, &arguments->outbox, &arguments->outbox_url);
  static const std::map<std::string, OutboxPart> kParts = {{"all", OutboxPart::kAll},
                                                           {"connector", OutboxPart::kConnector},
                                                           {"example", OutboxPart::kExample}};
  init->add_option("--print", arguments->outbox_part,
                   "all: SQL, with the rest as comments; or only the connector or the example")
      ->transform(OneOf(kParts));
  init->add_flag_callback(
      "--inbox", [arguments] { arguments->outbox_part = OutboxPart::kInbox; },
      "Print the consumer's inbox table instead");
  init->callback([arguments] { arguments->command = Command::kOutboxInit; });
  auto* clean = outbox->add_subcommand(
      "clean", "Run housekeeping once: remove what is past its retention and acknowledged");
  AddConfiguration(clean, arguments, true);
  AddLogging(clean, arguments);
  clean->add_flag("--dry-run", arguments->dry_run, "Only count, remove nothing");
  clean
      ->add_option("--wait", arguments->wait_seconds,
                   "Seconds to wait for the running connector to acknowledge")
      ->capture_default_str();
  clean->callback([arguments] { arguments->command = Command::kOutboxClean; });
}

void AddSignal(CLI::App* app, Arguments* arguments) {
  auto* signal = app->add_subcommand(
      "signal", "Ask a connector for a snapshot, through a channel of signals that it reads");
  Arguments::Signal* asked = &arguments->signal;
  signal->add_option("type", asked->type, "What to ask for")
      ->check(CLI::IsMember(std::vector<std::string>{"execute-snapshot", "stop-snapshot",
                                                     "pause-snapshot", "resume-snapshot", "log"}))
      ->required();
  AddConfiguration(signal, arguments, true);
  AddLogging(signal, arguments);
  signal
      ->add_option("--table", asked->tables,
                   "schema.table, or a regular expression; once per table")
      ->type_name("TABLE")
      ->allow_extra_args(false);
  signal->add_flag("--blocking", asked->blocking, "The stream waits for it");
  signal
      ->add_option("--filter", asked->filters,
                   "TABLE=SQL: which rows; with --blocking a whole SELECT")
      ->type_name("TABLE=SQL")
      ->allow_extra_args(false);
  signal->add_option("--surrogate-key", asked->surrogate_key,
                     "Column to walk by instead of the key");
  signal->add_option("--message", asked->message, "Of log; its first {} is the position");
  signal->add_option("--id", asked->id, "By which notifications name it");
  static const std::map<std::string, engine::SignalVia> kChannels = {
      {"source", engine::SignalVia::kSource},
      {"file", engine::SignalVia::kFile},
      {"kafka", engine::SignalVia::kKafka}};
  signal->add_option("--channel", asked->via, "Which channel; without it one that is read")
      ->transform(OneOf(kChannels));
  signal->callback([arguments] { arguments->command = Command::kSignal; });
}

void AddHelp(CLI::App* app, Arguments* arguments) {
  auto* help = app->add_subcommand("help", "How a command is used");
  help->add_option("command", arguments->help_of, "Its name, e.g. offsets import");
  help->callback([arguments] { arguments->command = Command::kHelp; });
}

// Not shown: the shells' scripts ask by it. Its words are not for CLI11 to understand.
bool IsCompletion(int argc, char** argv) {
  return argc >= 2 && absl::string_view(argv[1]) == "complete";
}

}  // namespace

void DescribeCommands(CLI::App* app, Arguments* arguments) {
  app->name("walduct");
  app->description("walduct: PostgreSQL's write-ahead log to Kafka, as Debezium writes it");
  app->get_formatter()->column_width(36);
  app->require_subcommand(1);
  app->set_version_flag("--version", engine::VersionText(), "Print versions");
  AddRun(app, arguments);
  AddServe(app, arguments);
  AddValidate(app, arguments);
  AddDoctor(app, arguments);
  AddTail(app, arguments);
  AddRecord(app, arguments);
  AddShadow(app, arguments);
  AddDiff(app, arguments);
  AddStatus(app, arguments);
  AddLevers(app, arguments);
  AddSkip(app, arguments);
  AddExplain(app, arguments);
  AddSignal(app, arguments);
  AddOffsets(app, arguments);
  AddOutbox(app, arguments);
  AddHelp(app, arguments);
  app->add_subcommand("version", "Print versions")->callback([arguments] {
    arguments->command = Command::kVersion;
  });
}

const CLI::App* FindCommand(const CLI::App& app, absl::string_view name) {
  for (const CLI::App* command : app.get_subcommands({})) {
    if (command->get_name() == name) return command;
  }
  return nullptr;
}

Arguments ParseArguments(int argc, char** argv) {
  Arguments arguments;
  if (IsCompletion(argc, argv)) {
    arguments.command = Command::kComplete;
    arguments.words.assign(argv + 2, argv + argc);
    return arguments;
  }
  CLI::App app;
  DescribeCommands(&app, &arguments);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    arguments.command = Command::kNone;
    arguments.usage_exit_code =
        app.exit(error) == 0 ? engine::kExitClean : engine::kExitConfiguration;
  }
  if (!arguments.wrong.empty()) {
    app.exit(CLI::ValidationError(arguments.wrong));
    arguments.command = Command::kNone;
    arguments.usage_exit_code = engine::kExitConfiguration;
  }
  return arguments;
}

}  // namespace walduct::cli
