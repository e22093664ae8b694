#include <CLI/CLI.hpp>

#include "cli/argument_parts.h"

namespace walduct::cli {

void AddDemo(CLI::App* app, Arguments* arguments) {
  auto* demo = app->add_subcommand(
      "demo",
      "Show what walduct does, on a PostgreSQL that is there, with or without Kafka\n"
      "Makes a schema with two tables, streams them by a temporary slot, changes rows and prints "
      "the events; in the end, also on Ctrl-C, drops all that it has made. Touches nothing that is "
      "there before: a schema or topics of these names are refused.");
  Arguments::Demo* asked = &arguments->demo;
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
  demo->add_option("-w,--worker", arguments->worker_file,
                   "Kafka Connect worker properties: brokers, and how they are logged in to")
      ->type_name("FILE");
  demo->add_option("--schema", asked->schema,
                   "Of the tables; also the name of slot and publication, and what topics begin "
                   "with")
      ->capture_default_str();
  demo->add_option("--listen", arguments->listen,
                   "HOST:PORT of status and console (default: a free port of 127.0.0.1)")
      ->type_name("HOST:PORT");
  demo->add_flag("--delete-topics", asked->delete_topics,
                 "Delete the topics in the end, too; else they are left");
  demo->add_flag("--once", asked->once, "End by itself after the story");
  demo->callback([arguments] { arguments->command = Command::kDemo; });
}

}  // namespace walduct::cli
