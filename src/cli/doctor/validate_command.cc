#include <unistd.h>

#include <iostream>

#include "absl/strings/str_cat.h"
#include "base/documents.h"
#include "base/error.h"
#include "cli/commands.h"
#include "cli/configuration.h"
#include "cli/usage/tones.h"
#include "config/documentation.h"
#include "engine/errors/error_policy.h"
#include "loader/all_properties.h"
#include "loader/load_connector.h"
#include "operate/commands/client_environment.h"
#include "slot/world/preview/chain_preview.h"
#include "transform/registry/documentation.h"

namespace walduct::cli {

namespace {

// What the outbox tables are like, as far as the transforms care, and what the lists match.
int ShowPreview(const engine::ConnectorOptions& options) {
  const auto preview = slot::PreviewOnServer(options, Environment::Real());
  if (!preview.ok()) {
    std::cout << Toned(HasColours(STDOUT_FILENO), Tone::kBad,
                       absl::StrCat("error: ", preview.status().message()))
              << "\n";
    if (const std::string hint = ErrorHint(preview.status()); !hint.empty())
      std::cout << WithDocuments(hint) << "\n";
    return engine::ExitCodeFor(preview.status());
  }
  for (const std::string& table : preview->event_tables)
    std::cout << "outbox table " << table << ": its rows become events\n";
  for (const auto* warnings : {&preview->lists, &preview->notices, &preview->problems}) {
    for (const std::string& warning : *warnings)
      std::cout << Toned(HasColours(STDOUT_FILENO), Tone::kWarning,
                         absl::StrCat("warning: ", warning))
                << "\n";
  }
  for (const std::string& notice : preview->lists_noted) std::cout << "notice: " << notice << "\n";
  return engine::kExitClean;
}

}  // namespace

int Validate(const Arguments& arguments) {
  if (arguments.print_reference) {
    std::cout << config::ConfigurationMarkdown(loader::AllProperties());
    return engine::kExitClean;
  }
  if (arguments.print_transforms) {
    std::cout << transform::TransformsMarkdown();
    return engine::kExitClean;
  }
  if (arguments.connector_files.empty())
    return Refuse("validate needs -f CONNECTOR.json|.properties");
  std::vector<loader::LoadResult> results;
  std::optional<config::LoadRequest> request = MakeRequest(arguments);
  if (!request) return engine::kExitConfiguration;
  for (const std::string& file : arguments.connector_files) {
    request->connector_path = file;
    results.push_back(loader::LoadConnector(*request));
  }
  operate::IgnoreClientEnvironment(/*tell=*/false);
  bool accepted = true;
  for (size_t i = 0; i < results.size(); ++i) {
    std::cout << arguments.connector_files[i] << "\n"
              << TonedReport(HasColours(STDOUT_FILENO),
                             WithDocuments(config::RenderReport(results[i])));
    accepted = accepted && results[i].errors.empty();
    if (!results[i].errors.empty() || !arguments.ask_database) continue;
    if (const int code = ShowPreview(results[i].options); code != engine::kExitClean) return code;
  }
  accepted = (!accepted || CheckDistinct(results)) && accepted;
  return accepted ? engine::kExitClean : engine::kExitConfiguration;
}

}  // namespace walduct::cli
