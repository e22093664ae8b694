#include "cli/arguments.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <map>
#include <memory>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/plain_text.h"
#include "cli/argument_parts.h"
#include "cli/completion.h"
#include "cli/outbox_arguments.h"
#include "cli/usage/examples.h"
#include "cli/usage/help_formatter.h"
#include "cli/usage/mistakes.h"
#include "engine/errors/error_policy.h"
#include "operate/commands/version.h"

namespace walduct::cli {
namespace {

// Where Debezium Server has its configuration, under the working directory.
void TakeServersFile(Arguments* arguments) {
  for (const char* file :
       {"config/application.properties", "config/application.yaml", "config/application.yml"}) {
    if (!arguments->connector_files.empty() || ::access(file, R_OK) != 0) continue;
    arguments->connector_files.emplace_back(file);
  }
  if (arguments->connector_files.empty())
    arguments->wrong = "--file is required, where there is no config/application.properties";
}

void AddRun(CLI::App* app, Arguments* arguments) {
  auto* run = app->add_subcommand("run", "Stream until SIGTERM or SIGINT");
  AddConfiguration(run, arguments, false);
  AddLogging(run, arguments);
  auto* until_lsn = run->add_option("--until-lsn", arguments->until_lsn,
                                    "Stop once everything up to this LSN is delivered");
  until_lsn->type_name("LSN");
  AddListen(run, arguments);
  run->add_flag("--until-caught-up", arguments->until_caught_up,
                "Stop once the WAL that exists at the start is delivered")
      ->excludes(until_lsn);
  run->callback([arguments] {
    arguments->command = Command::kRun;
    TakeServersFile(arguments);
  });
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
      "tail",
      "Print changes as they come, a line each; uses a temporary slot, stores nothing\n"
      "Refused for a connector that polls (walduct.outbox.source=poll).\n"
      "On a terminal for eyes: time, LSN, what changed, cut to its width. Into a pipe or a file, "
      "or "
      "with --json: topic, key and row as JSON, whole.");
  AddConfiguration(tail, arguments, true);
  AddLogging(tail, arguments);
  auto* json = tail->add_flag("--json", arguments->json,
                              "Key and row as the JSON of the record, also on a terminal");
  auto* full = tail->add_flag("--full", arguments->full, "All of each record, not one line of it");
  tail->add_flag("--pretty", arguments->pretty, "For eyes, also where there is no terminal")
      ->excludes(json)
      ->excludes(full);
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
  shadow->add_option("--listen", arguments->shadow_listen,
                     "HOST:PORT or https://HOST:PORT to answer on, as of run; another one than the "
                     "live connector's, whose walduct.listen and WALDUCT_LISTEN are not taken");
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
  diff->add_flag("--allow-idle", arguments->allows_idle,
                 "One side may lack topics whose records are all from before it began");
  diff->callback([arguments] { arguments->command = Command::kDiff; });
}

void AddValidate(CLI::App* app, Arguments* arguments) {
  auto* validate =
      app->add_subcommand("validate", "Check a configuration without touching any server");
  AddConfiguration(validate, arguments, false);
  validate->add_flag("--print-reference", arguments->print_reference,
                     "Print docs/configuration.md");
  validate->add_flag(
      "--database", arguments->ask_database,
      "also connect to the database: how the outbox tables are mapped, and which entries of "
      "the include lists match nothing");
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
  auto* save = offsets->add_subcommand("export", "Write it to a file, or to standard output");
  AddOfConnector(save, arguments, &arguments->offsets_file, false, "a file (-: standard output)");
  save->callback([arguments] {
    if (arguments->offsets_file.empty()) arguments->offsets_file = "-";
    arguments->command = Command::kExportOffsets;
  });
  auto* load = offsets->add_subcommand("import", "Store the position from a file");
  AddOfConnector(load, arguments, &arguments->offsets_file, true, "a file (-: standard input)");
  load->add_flag("--accept-loss", arguments->accept_loss,
                 "Do it also when no start could go on from there");
  constexpr char kAcceptForeign[] = "Do it also when what is stored is of another server";
  load->add_flag("--accept-foreign", arguments->accept_foreign, kAcceptForeign);
  load->callback([arguments] { arguments->command = Command::kImportOffsets; });
  constexpr char kAcceptLoss[] = "Do it also when changes are never published for it";
  auto* set = offsets->add_subcommand("set", "Go on after what was committed up to an LSN");
  AddOfConnector(set, arguments, &arguments->lsn, true,
                 "an LSN as PostgreSQL prints it (0/16B3748)");
  set->add_flag("--accept-loss", arguments->accept_loss, kAcceptLoss);
  set->add_option("--slot", arguments->slot_number,
                  "Of a connector with several slots: which one, by its number")
      ->type_name("NUMBER")
      ->check(WholeNumber("2"));
  set->callback([arguments] { arguments->command = Command::kSetOffsets; });
  auto* reset = offsets->add_subcommand(
      "reset",
      "Forget it, and drop a slot that is lost: the next start is a first one\n"
      "A connector that has failed begins again at once.");
  AddOfConnector(reset, arguments, nullptr, false, "");
  reset->add_flag("--accept-loss", arguments->accept_loss, kAcceptLoss);
  reset->add_flag("--accept-foreign", arguments->accept_foreign, kAcceptForeign);
  reset->add_flag("--drop-slot", arguments->drop_slot, "Drop the slot in any case");
  reset->callback([arguments] { arguments->command = Command::kResetOffsets; });
}

void AddStatus(CLI::App* app, Arguments* arguments) {
  auto* status = app->add_subcommand("status", "What a running process is doing");
  status->footer(
      "Exit codes: 0 all run, or rest as asked; 6 a connector has failed, or its slot is lost; 7 "
      "one is\n"
      "stalled, retries or has no worker; 8 the worker waits, as a rule for Kafka; 9 another "
      "worker\n"
      "serves the group; 1 nobody answers; 2 what was typed is wrong; 3 no connector has this "
      "name.");
  status->add_option("connector", arguments->connector, "Its name; all without it");
  AddConfiguration(status, arguments, false);
  AddProcess(status, arguments);
  auto* watch =
      status->add_flag("--watch", arguments->watch, "Again every second, until q or Ctrl-C");
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
      "skip",
      "Leave out for good the change, or the row of a snapshot, that a connector has failed at");
  skip->add_option("connector", arguments->connector, "Its name, in a running walduct serve");
  skip->add_option("--lsn", arguments->lsn, "The change, as the error names it: 0/16B3748:3")
      ->type_name("LSN:NUMBER");
  auto* table =
      skip->add_option("--table", arguments->skip_table, "Of a row of a snapshot: schema.table");
  auto* key = skip->add_option("--row-key", arguments->skip_key,
                               "Its key, as the error names it: '{\"id\":5}'");
  table->type_name("TABLE")->needs(key);
  key->type_name("JSON")->needs(table);
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

void AddSignal(CLI::App* app, Arguments* arguments) {
  auto* signal = app->add_subcommand(
      "signal", "Ask a connector for a snapshot, through the process or a channel of signals");
  Arguments::Signal* asked = &arguments->signal;
  signal->add_option("type", asked->type, "What to ask for")
      ->check(CLI::IsMember(std::vector<std::string>{"execute-snapshot", "stop-snapshot",
                                                     "pause-snapshot", "resume-snapshot", "log"}))
      ->required();
  signal->add_option("connector", arguments->connector, "Its name, in a running process; else -f");
  AddConfiguration(signal, arguments, false);
  AddProcess(signal, arguments);
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
  static const std::map<std::string, operate::SignalVia> kChannels = {
      {"source", operate::SignalVia::kSource},
      {"file", operate::SignalVia::kFile},
      {"kafka", operate::SignalVia::kKafka}};
  signal->add_option("--channel", asked->via, "Which channel; without it one that is read")
      ->transform(OneOf(kChannels));
  signal->callback([arguments] { arguments->command = Command::kSignal; });
}

void AddHelp(CLI::App* app, Arguments* arguments) {
  auto* help = app->add_subcommand("help", "How a command is used");
  help->add_option("command", arguments->help_of, "Its name, e.g. offsets import");
  help->callback([arguments] { arguments->command = Command::kHelp; });
}

void AddCompletion(CLI::App* app, Arguments* arguments) {
  auto* completion = app->add_subcommand(
      "completion",
      "Print what completes commands and options in a shell\n"
      "The packages install it. Else: source <(walduct completion bash) in ~/.bashrc, with zsh "
      "instead of bash in ~/.zshrc behind compinit.");
  completion->add_option("shell", arguments->shell, "bash, zsh or fish")
      ->check(CLI::IsMember({"bash", "zsh", "fish"}))
      ->required();
  completion->callback([arguments] { arguments->command = Command::kCompletion; });
}

void SetGroups(CLI::App* app) {
  static constexpr std::pair<const char*, const char*> kGroups[] = {
      {"run", "Run"},        {"serve", "Run"},    {"demo", "Run"},         {"status", "Look"},
      {"tail", "Look"},      {"doctor", "Look"},  {"validate", "Look"},    {"explain", "Look"},
      {"pause", "Act"},      {"resume", "Act"},   {"stop", "Act"},         {"restart", "Act"},
      {"skip", "Act"},       {"signal", "Act"},   {"offsets", "Move"},     {"shadow", "Move"},
      {"diff", "Move"},      {"recover", "Move"}, {"replay", "Move"},      {"outbox", "Outbox"},
      {"record", "Develop"}, {"help", "Other"},   {"completion", "Other"}, {"version", "Other"}};
  for (const auto& [command, group] : kGroups) {
    CLI::App* const one = app->get_subcommand(command);
    one->group(group);
    for (CLI::App* below : one->get_subcommands({})) below->group("Commands");
  }
}

void RefuseUsage(const CLI::App& app, const std::vector<std::string>& words,
                 const std::string& said, Arguments* arguments) {
  const Mistake mistake = FindMistake(app, words, said);
  if (mistake.nothing_typed) {
    const CLI::App* command = nullptr;
    const std::string path = CommandPath(app, words, &command);
    std::cout << command->get_formatter()->make_help(command, path, CLI::AppFormatMode::Normal);
  } else {
    std::cerr << "error: " << PlainText(mistake.message) << "\nhint: " << mistake.hint << "\n";
  }
  arguments->command = Command::kNone;
  arguments->usage_exit_code = engine::kExitConfiguration;
}

// Not shown: the shells' scripts ask by it. Its words are not for CLI11 to understand.
bool IsCompletion(int argc, char** argv) {
  return argc >= 2 && absl::string_view(argv[1]) == "complete";
}

}  // namespace

void DescribeCommands(CLI::App* app, Arguments* arguments) {
  app->name("walduct");
  app->description("walduct: PostgreSQL's write-ahead log to Kafka, as Debezium writes it");
  app->formatter(std::make_shared<HelpFormatter>());
  app->require_subcommand(1);
  app->set_version_flag("--version", operate::VersionText(), "Print versions");
  AddRun(app, arguments);
  AddServe(app, arguments);
  AddDemo(app, arguments);
  AddStatus(app, arguments);
  AddTail(app, arguments);
  AddDoctor(app, arguments);
  AddValidate(app, arguments);
  AddExplain(app, arguments);
  AddLevers(app, arguments);
  AddSkip(app, arguments);
  AddSignal(app, arguments);
  AddOffsets(app, arguments);
  AddShadow(app, arguments);
  AddDiff(app, arguments);
  AddOutbox(app, arguments);
  AddRecovery(app, arguments);
  AddRecord(app, arguments);
  AddHelp(app, arguments);
  AddCompletion(app, arguments);
  app->add_subcommand("version", "Print versions")->callback([arguments] {
    arguments->command = Command::kVersion;
  });
  SetGroups(app);
  AddExamples(app);
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
  const std::vector<std::string> words(argv + 1, argv + argc);
  try {
    const std::vector<std::string> whole = WithWholeRows(words);
    std::vector<const char*> typed = {argv[0]};
    for (const std::string& word : whole) typed.push_back(word.c_str());
    app.parse(static_cast<int>(typed.size()), typed.data());
    if (!arguments.wrong.empty()) RefuseUsage(app, words, arguments.wrong, &arguments);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) {
      RefuseUsage(app, words, error.what(), &arguments);
    } else {
      app.exit(error);
      arguments.command = Command::kNone;
      arguments.usage_exit_code = engine::kExitClean;
    }
  }
  return arguments;
}

}  // namespace walduct::cli
