#include "cli/argument_parts.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "cli/outbox_arguments.h"
#include "cli/recover/recover_command.h"
#include "outbox/init_options.h"

namespace walduct::cli {
namespace {

// As CLI11 would say it: "Could not convert", and of a negative number nothing.
CLI::Validator Seconds() {
  const auto check = [](const std::string& text) -> std::string {
    double seconds = 0;
    constexpr double kDay = 86400;
    if (absl::SimpleAtod(text, &seconds) && seconds >= 0 && seconds <= kDay) return "";
    return absl::StrCat("'", text, "' is no number of seconds from 0 to 86400, such as 60");
  };
  return CLI::Validator(check, "");
}

// What is typed wins over the environment, also as --url or behind -o.
void TakeListen(const CLI::Option& listen, Arguments* arguments) {
  arguments->listen_typed = listen.count() > 0;
  const bool typed =
      arguments->listen_typed || !arguments->url.empty() ||
      std::any_of(arguments->overrides.begin(), arguments->overrides.end(),
                  [](const std::string& one) { return one.starts_with("walduct.listen="); });
  const char* const there = std::getenv("WALDUCT_LISTEN");
  if (there != nullptr && !typed) arguments->listen = there;
}

void AddOutboxNames(CLI::App* init, outbox::InitOptions* names, std::string* url) {
  static const std::map<std::string, outbox::Flavour> kFlavours = {
      {"table", outbox::Flavour::kTable},
      {"partitioned", outbox::Flavour::kPartitioned},
      {"message", outbox::Flavour::kMessage},
      {"poll", outbox::Flavour::kPoll},
      {"position", outbox::Flavour::kPosition}};
  init->add_option("--flavour", names->flavour,
                   "table, partitioned (by day) or message (pg_logical_emit_message, no table); "
                   "without a slot poll (rows are marked) or position (no row is touched)")
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
  init->add_option("--connector", names->connector,
                   "Name of the connector and topic.prefix: DATABASE-outbox, if not said");
  init->add_option("--message-prefix", names->message_prefix, "Prefix of logical messages")
      ->capture_default_str();
  init->add_flag("--cleanup", names->cleanup, "Include what housekeeping needs");
  init->add_flag("--wake", names->wake, "Of what is polled: with a trigger that wakes walduct");
  auto* const host = init->add_option("--host", names->host, "Where the connector's server is");
  auto* const port = init->add_option("--port", names->port, "Its port");
  auto* const database = init->add_option("--database", names->database, "The database");
  init->add_option("--url", *url, "postgres://HOST:PORT/DATABASE in place of these three")
      ->excludes(host)
      ->excludes(port)
      ->excludes(database);
}

}  // namespace

void AddConfiguration(CLI::App* command, Arguments* arguments, bool required) {
  auto* files = command->add_option(
      "-f,--file", arguments->connector_files,
      "Connector configuration: Kafka Connect JSON, properties or YAML, or Debezium Server's "
      "application.properties; once per connector");
  files->type_name("FILE")->allow_extra_args(false);
  if (required) files->required();
  command->add_option("-w,--worker", arguments->worker_file, "Kafka Connect worker properties")
      ->type_name("FILE");
  command->add_option("-o,--override", arguments->overrides, "key=value; overrides both files")
      ->type_name("KEY=VALUE");
}

void AddListen(CLI::App* command, Arguments* arguments) {
  auto* const listen =
      command->add_option("--listen", arguments->listen,
                          "HOST:PORT or https://HOST:PORT to answer on: /metrics, /livez, /readyz, "
                          "/status, Connect's REST interface for reading; without it that of "
                          "WALDUCT_LISTEN in the environment");
  listen->type_name("HOST:PORT");
  // Not by envname(): CLI11 would set it for the options of all commands, which share one value.
  command->parse_complete_callback([arguments, listen] { TakeListen(*listen, arguments); });
}

void AddLogging(CLI::App* command, Arguments* arguments) {
  command->add_option("--log-level", arguments->log_level, "debug, info, warn or error")
      ->check(CLI::IsMember({"debug", "info", "warn", "error"}));
  command->add_option("--log-format", arguments->log_format, "text or json")
      ->check(CLI::IsMember({"text", "json"}));
}

std::function<void()> AddProcess(CLI::App* command, Arguments* arguments) {
  auto* url = command->add_option("--url", arguments->url,
                                  "http://HOST:PORT of a process that listens (default: "
                                  "http://127.0.0.1:8083)");
  url->type_name("URL");
  auto* listen = command->add_option("--listen", arguments->listen,
                                     "The process's HOST:PORT, in place of --url; without both "
                                     "that of WALDUCT_LISTEN in the environment");
  listen->type_name("HOST:PORT")->excludes(url);
  const auto parsed = [arguments, listen] { TakeListen(*listen, arguments); };
  command->parse_complete_callback(parsed);
  command
      ->add_option("--ca", arguments->server_tls.ca,
                   "The authorities (PEM) that vouch for its https; without it the system's")
      ->check(CLI::ExistingFile)
      ->envname("WALDUCT_CA");
  auto* certificate =
      command
          ->add_option("--cert", arguments->server_tls.certificate,
                       "A certificate (PEM) to show it, where it asks clients for one")
          ->check(CLI::ExistingFile);
  command->add_option("--key", arguments->server_tls.key, "The certificate's key (PEM)")
      ->check(CLI::ExistingFile)
      ->needs(certificate);
  return parsed;
}

ConnectorWords AddConnectorWords(CLI::App* command, Arguments* arguments,
                                 const std::string& behind) {
  AddConfiguration(command, arguments, false);
  const std::function<void()> parsed = AddProcess(command, arguments);
  auto words = std::make_shared<std::vector<std::string>>();
  auto* option =
      command->add_option("connector", *words,
                          absl::StrCat("The connector of a running process, where -f names none",
                                       behind.empty() ? "" : "; then", behind));
  const auto take = [=]() -> std::optional<std::vector<std::string>> {
    parsed();
    auto word = words->begin();
    if (arguments->connector_files.empty()) {
      if (word == words->end()) {
        arguments->wrong = "name the connector of a running process, or -f FILE -w FILE";
        return std::nullopt;
      }
      arguments->connector = *word++;
    }
    return std::vector<std::string>(word, words->end());
  };
  return {.option = option, .take = take};
}

void AddOfConnector(CLI::App* command, Arguments* arguments, std::string* value, bool required,
                    const char* what) {
  const ConnectorWords words =
      AddConnectorWords(command, arguments, value == nullptr ? "" : absl::StrCat(": ", what));
  words.option->type_name(value == nullptr ? "[CONNECTOR]"
                          : required       ? "[CONNECTOR] VALUE"
                                           : "[CONNECTOR] [FILE]");
  words.option->expected(0, value == nullptr ? 1 : 2);
  command->parse_complete_callback([=, take = words.take] {
    const std::optional<std::vector<std::string>> others = take();
    if (!others) return;
    auto word = others->begin();
    if (value != nullptr && word != others->end()) *value = *word++;
    if (word != others->end()) {
      arguments->wrong = absl::StrCat("not expected: ", *word);
    } else if (required && value->empty()) {
      arguments->wrong = absl::StrCat("missing: ", what);
    }
  });
}

void AddOutbox(CLI::App* app, Arguments* arguments) {
  auto* outbox = app->add_subcommand(
      "outbox", "Set an outbox table up, clean it, and what could not be published");
  outbox->require_subcommand(1);
  auto* init = outbox->add_subcommand("init", "Print SQL and the matching connector configuration");
  arguments->outbox = std::make_shared<outbox::InitOptions>();
  AddOutboxNames(init, arguments->outbox.get(), &arguments->outbox_url);
  static const std::map<std::string, OutboxPart> kParts = {{"all", OutboxPart::kAll},
                                                           {"connector", OutboxPart::kConnector},
                                                           {"example", OutboxPart::kExample}};
  auto* const print =
      init->add_option("--print", arguments->outbox_part,
                       "all: SQL, with the rest as comments; or only the connector or the example")
          ->transform(OneOf(kParts));
  auto* const inbox = init->add_flag_callback(
      "--inbox", [arguments] { arguments->outbox_part = OutboxPart::kInbox; },
      "Print the consumer's inbox table instead");
  inbox->excludes(print);
  init->callback([arguments] { arguments->command = Command::kOutboxInit; });
  auto* clean = outbox->add_subcommand(
      "clean", "Run housekeeping once: remove what is past its retention and acknowledged");
  AddConfiguration(clean, arguments, true);
  AddLogging(clean, arguments);
  clean->add_flag("--dry-run", arguments->dry_run, "Only count, remove nothing");
  clean
      ->add_option("--wait", arguments->wait_seconds,
                   "Seconds to wait for the running connector to acknowledge")
      ->capture_default_str()
      ->check(Seconds());
  clean->callback([arguments] { arguments->command = Command::kOutboxClean; });
  AddOutboxRows(outbox, arguments);
  AddOutboxDrill(outbox, arguments);
}

void AddDemo(CLI::App* app, Arguments* arguments) {
  auto* demo = app->add_subcommand(
      "demo",
      "Show what walduct does, on a PostgreSQL that is there, with or without Kafka\n"
      "Makes a schema with two tables, streams them by a temporary slot, changes rows and prints "
      "the events; in the end, also on Ctrl-C, drops all that it has made. Touches nothing that is "
      "there before: a schema or topics of these names are refused.");
  DemoRequest* asked = &arguments->demo;
  demo->add_option("--url", asked->url,
                   "postgres://USER:PASSWORD@HOST:PORT/DATABASE, of a role that may create a "
                   "schema and replicate")
      ->type_name("URL")
      ->required();
  demo->add_option("--password-file", asked->password_file,
                   "Its first line is the password, in place of one in the URL")
      ->type_name("FILE");
  demo->add_option("--kafka", asked->bootstrap_servers,
                   "Brokers to publish to; without it events go to a file and from there to the "
                   "terminal")
      ->type_name("HOST:PORT");
  demo->add_option("-w,--worker", asked->worker_file,
                   "Kafka Connect worker properties: brokers, and how they are logged in to")
      ->type_name("FILE");
  demo->add_option("--schema", asked->schema,
                   "Of the tables; also the name of slot and publication, and what topics begin "
                   "with")
      ->capture_default_str();
  demo->add_option("--listen", asked->listen,
                   "HOST:PORT of status and console (default: a free port of 127.0.0.1)")
      ->type_name("HOST:PORT");
  demo->add_flag("--delete-topics", asked->delete_topics,
                 "Delete the topics in the end, too; else they are left");
  demo->add_flag("--once", asked->once, "End by itself after the story");
  demo->callback([arguments] { arguments->command = Command::kDemo; });
}

namespace {

void AddRead(CLI::App* recover, Arguments* arguments) {
  CLI::App* const read = recover->add_subcommand(
      "read",
      "Compare the tables with what the topics hold, and publish what differs\n"
      "Reads for rows that are new or another, deletes for keys without a row, nothing for the "
      "rest. The connector must not run; with --dry-run it may.");
  AddConfiguration(read, arguments, true);
  read->add_option("--tables", arguments->tables,
                   "Only these: public.orders, or regular expressions")
      ->type_name("TABLE");
  read->add_flag("--dry-run", arguments->dry_run, "Only compare and say; writes nothing");
  read->add_option("--examples", arguments->examples, "Keys to name of each kind and topic")
      ->capture_default_str();
  read->add_option("--directory", arguments->directory,
                   "For the keys of the topics while it runs; /var/tmp without it")
      ->type_name("DIR");
  read->add_flag("--accept-loss", arguments->accept_loss,
                 "Close a gap although some tables are not compared");
  AddListen(read, arguments);
  AddLogging(read, arguments);
  read->footer(
      "Exit codes: 0 the topics have what the tables have; with --dry-run 1 where they have "
      "not,\n2 where that could not be looked at.\nA connector whose slot was lost goes on behind "
      "the read (docs/recover.md).");
  read->callback([arguments] { arguments->command = Command::kRecoverRead; });
}

}  // namespace

void AddRecovery(CLI::App* app, Arguments* arguments) {
  CLI::App* const recover = AddRecover(app, &arguments->gate,
                                       [arguments] { arguments->command = Command::kRecoverGate; });
  CLI::App* const run = recover->add_subcommand(
      "run",
      "Stream the gap of the connector's lost slot from a restored server\n"
      "From the stored position to where the primary's new slot begins, by the connector's own "
      "road; what has no new slot yet gets it first.");
  AddConfiguration(run, arguments, true);
  AddRestored(run, &arguments->recover);
  AddCatalog(run, &arguments->recover);
  AddThenRead(run, &arguments->recover);
  AddListen(run, arguments);
  AddLogging(run, arguments);
  run->footer(
      "It ends with 0 when the gap is closed: walduct run then goes on. It may be stopped or\n"
      "killed at any time and started again. docs/recover.md");
  run->callback([arguments] { arguments->command = Command::kRecoverRun; });
  CLI::App* const plan = recover->add_subcommand(
      "plan",
      "Whether the gap of a lost slot can be got back, from which backup, and what to type\n"
      "Looks at the stored position and the primary; changes nothing.");
  plan->add_option("connector", arguments->connector,
                   "Of a running process, which looks for itself; else -f");
  AddConfiguration(plan, arguments, false);
  AddProcess(plan, arguments);
  auto* folder = plan->add_option("--archive", arguments->archive,
                                  "Where the archive is a folder: whether it has the segments of "
                                  "the gap");
  folder->type_name("DIR");
  plan->add_option(
          "--archive-command", arguments->archive_command,
          "The same by a command for sh, with %f and %p as restore_command has them; it is "
          "run for each segment")
      ->type_name("COMMAND")
      ->excludes(folder)
      ->check([](const std::string& command) {
        return command.find("%f") == std::string::npos ? "names no %f" : "";
      });
  plan->footer("Exit codes: 0 it can be got back, or there is no gap; 3 it cannot.");
  plan->callback([arguments] { arguments->command = Command::kRecoverPlan; });
  AddRead(recover, arguments);
  AddDrill(recover, &arguments->drill,
           [arguments] { arguments->command = Command::kRecoverDrill; });
  CLI::App* const replay = app->add_subcommand(
      "replay",
      "Stream a part of the past from a restored server into topics of its own\n"
      "As recover run does, between two times or LSNs; asks no primary. Its slot and its position "
      "are its own, and are removed at the end.");
  AddConfiguration(replay, arguments, true);
  AddRestored(replay, &arguments->recover);
  AddCatalog(replay, &arguments->recover);
  AddReplayWindow(replay, &arguments->replay);
  AddListen(replay, arguments);
  AddLogging(replay, arguments);
  replay->footer(
      "It ends with 0 when all of it is published. It may be stopped or killed at any time and\n"
      "started again. docs/recover.md");
  replay->callback([arguments] { arguments->command = Command::kReplay; });
}

}  // namespace walduct::cli
