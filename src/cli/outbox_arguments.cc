#include "cli/outbox_arguments.h"

#include <CLI/CLI.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "cli/argument_parts.h"

namespace walduct::cli {
namespace {

using operate::OutboxRowsRequest;
using enum OutboxRowsRequest::Act;

constexpr char kExitCodes[] =
    "Exit codes: 0 each row is as it was asked for; 3 one is not, for it is not there, published\n"
    "already or locked by another session.";

// Before a word that CLI11 would take apart.
constexpr char kWhole = '\x01';

std::string Unmarked(std::string word) {
  if (!word.empty() && word.front() == kWhole) word.erase(0, 1);
  return word;
}

void AddRowOption(CLI::App* command, Arguments* arguments) {
  command
      ->add_option("--row", arguments->outbox_rows.rows,
                   "The same where the key begins with -: --row=-7; once per row")
      ->type_name("ROW")
      ->allow_extra_args(false);
}

CLI::App* Add(CLI::App* outbox, Arguments* arguments, OutboxRowsRequest::Act act,
              const char* text) {
  CLI::App* const command =
      outbox->add_subcommand(std::string(operate::ActName(act)), std::string(text));
  const ConnectorWords words =
      AddConnectorWords(command, arguments, act == kList ? "" : " rows, by their primary keys");
  words.option->type_name(act == kList    ? "[CONNECTOR]"
                          : act == kRetry ? "[CONNECTOR] [ROW...]"
                                          : "[CONNECTOR] ROW...");
  command
      ->add_option("--table", arguments->outbox_rows.table,
                   "schema.table, where the connector has several outbox tables")
      ->type_name("TABLE");
  command->add_flag("--json", arguments->json, "As JSON");
  if (act != kList) AddRowOption(command, arguments);
  command->parse_complete_callback([=, take = words.take] {
    OutboxRowsRequest& asked = arguments->outbox_rows;
    asked.act = act;
    const std::optional<std::vector<std::string>> rows = take();
    if (!rows) return;
    asked.rows.insert(asked.rows.end(), rows->begin(), rows->end());
    for (std::string& row : asked.rows) row = Unmarked(row);
    for (std::string* const word : {&arguments->connector, &asked.table, &asked.why})
      *word = Unmarked(*word);
    if (act == kList && !asked.rows.empty())
      arguments->wrong = absl::StrCat("not expected: ", asked.rows.front());
    else if (const absl::Status right = operate::CheckRowsRequest(asked); !right.ok())
      arguments->wrong = std::string(right.message());
  });
  command->callback([arguments] { arguments->command = Command::kOutboxRows; });
  return command;
}

}  // namespace

std::vector<std::string> WithWholeRows(std::vector<std::string> words) {
  if (words.empty() || words.front() != "outbox") return words;
  for (std::string& word : words) {
    const bool is_list = word.size() > 1 && word.front() == '[' && word.back() == ']';
    if (is_list || (!word.empty() && word.front() == kWhole)) word.insert(0, 1, kWhole);
  }
  return words;
}

void AddOutboxRows(CLI::App* outbox, Arguments* arguments) {
  CLI::App* const list =
      Add(outbox, arguments, kList,
          "The rows of polled outbox tables that could not be published, with the error\n"
          "Those that are parked, and those that wait for their next attempt.");
  list->add_option("--limit", arguments->outbox_rows.most, "So many of each table at most")
      ->capture_default_str();
  Add(outbox, arguments, kShow,
      "One such row: its error, the events of its key that wait for it or have passed it");
  CLI::App* const retry = Add(outbox, arguments, kRetry,
                              "Try rows again that are parked or wait, with all their attempts\n"
                              "Says of which key later events are published already.");
  retry->add_flag("--all", arguments->outbox_rows.all, "All that are parked or wait");
  retry->footer(kExitCodes);
  CLI::App* const park =
      Add(outbox, arguments, kPark, "Park rows by hand: they are not tried until they are retried");
  park->add_option("--reason", arguments->outbox_rows.why, "Why; stands where errors do")
      ->type_name("TEXT");
  park->footer(kExitCodes);
  CLI::App* const skip =
      Add(outbox, arguments, kSkip,
          "Leave rows out for good: marked as published, or deleted, and never published\n"
          "As walduct.outbox.done says; with archive they are moved there.");
  skip->add_flag("--yes", arguments->yes, "Do not ask");
  skip->footer(kExitCodes);
}

void AddOutboxDrill(CLI::App* outbox, Arguments* arguments) {
  CLI::App* const drill = outbox->add_subcommand(
      "drill",
      "Write events into a scratch table, poll it, and see all of them arrive in order\n"
      "Makes a schema with an outbox table, parks an event that cannot be published, mends and "
      "retries it, and drops the schema; touches nothing else. For CI, and for trying it.");
  OutboxDrillRequest* const asked = &arguments->outbox_drill;
  drill
      ->add_option("--url", asked->url,
                   "postgres://USER:PASSWORD@HOST:PORT/DATABASE, of a role that may create a "
                   "schema; no replication, no wal_level")
      ->type_name("URL")
      ->required();
  drill
      ->add_option("--password-file", asked->password_file,
                   "Its first line is the password, in place of one in the URL")
      ->type_name("FILE");
  drill
      ->add_option("--kafka", asked->bootstrap_servers,
                   "Brokers to publish to; without it events go to a temporary file")
      ->type_name("HOST:PORT");
  drill
      ->add_option("-w,--worker", asked->worker_file,
                   "Kafka Connect worker properties: brokers, and how they are logged in to")
      ->type_name("FILE");
  drill->add_option("--schema", asked->schema, "Of the table; also what the topic begins with")
      ->capture_default_str();
  drill->add_flag("--delete-topics", asked->delete_topics,
                  "Delete the topic in the end, too; else it is left");
  drill->footer(
      "Exit codes: 0 all events arrived, once and in order; 1 they did not; 2 it was not begun.");
  drill->callback([arguments] { arguments->command = Command::kOutboxDrill; });
}

}  // namespace walduct::cli
