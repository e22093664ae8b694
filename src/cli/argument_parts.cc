#include "cli/argument_parts.h"

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <memory>
#include <vector>

#include "absl/strings/str_cat.h"

namespace walduct::cli {

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
  // What is typed wins.
  const auto parsed = [arguments, listen] {
    arguments->listen_typed = listen->count() > 0;
    const char* const there = std::getenv("WALDUCT_LISTEN");
    if (there != nullptr && arguments->url.empty() && !arguments->listen_typed)
      arguments->listen = there;
  };
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

void AddOfConnector(CLI::App* command, Arguments* arguments, std::string* value, bool required,
                    const char* what) {
  AddConfiguration(command, arguments, false);
  const std::function<void()> parsed = AddProcess(command, arguments);
  auto words = std::make_shared<std::vector<std::string>>();
  auto* option =
      command->add_option("words", *words,
                          absl::StrCat("The connector of a running process, where -f names none",
                                       value == nullptr ? "" : "; then: ", what));
  option->type_name(value == nullptr ? "[CONNECTOR]"
                    : required       ? "[CONNECTOR] VALUE"
                                     : "[CONNECTOR] [FILE]");
  option->expected(0, value == nullptr ? 1 : 2);
  command->parse_complete_callback([=] {
    parsed();
    auto word = words->begin();
    if (arguments->connector_files.empty()) {
      if (word == words->end()) {
        arguments->wrong = "name the connector of a running process, or -f FILE -w FILE";
        return;
      }
      arguments->connector = *word++;
    }
    if (value != nullptr && word != words->end()) *value = *word++;
    if (word != words->end()) {
      arguments->wrong = absl::StrCat("not expected: ", *word);
    } else if (required && value->empty()) {
      arguments->wrong = absl::StrCat("missing: ", what);
    }
  });
}

}  // namespace walduct::cli
