#include <iostream>

#include "cli/commands.h"
#include "cli/configuration.h"
#include "config/documentation.h"
#include "config/transform_class.h"
#include "engine/error_policy.h"

namespace walduct::cli {

int Validate(const Arguments& arguments) {
  if (arguments.print_reference) {
    std::cout << config::ConfigurationMarkdown();
    return engine::kExitClean;
  }
  if (arguments.print_transforms) {
    std::cout << config::TransformsMarkdown();
    return engine::kExitClean;
  }
  if (arguments.connector_files.empty())
    return Refuse("validate needs -f CONNECTOR.json|.properties");
  std::vector<config::LoadResult> results;
  std::optional<config::LoadRequest> request = MakeRequest(arguments);
  if (!request) return engine::kExitConfiguration;
  bool accepted = true;
  for (const std::string& file : arguments.connector_files) {
    request->connector_path = file;
    results.push_back(config::LoadConnector(*request));
    std::cout << file << "\n" << config::RenderValidateTable(results.back());
    accepted = accepted && results.back().errors.empty();
  }
  accepted = (!accepted || CheckDistinct(results)) && accepted;
  return accepted ? engine::kExitClean : engine::kExitConfiguration;
}

}  // namespace walduct::cli
