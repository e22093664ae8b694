#include <CLI/CLI.hpp>
#include <map>

#include "cli/argument_parts.h"

namespace walduct::cli {
namespace {

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

}  // namespace

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

}  // namespace walduct::cli
