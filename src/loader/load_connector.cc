#include "loader/load_connector.h"

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "config/properties/findings.h"
#include "config/properties/masking.h"
#include "config/property_checks.h"
#include "console/console_properties.h"
#include "loader/all_properties.h"
#include "loader/combination_checks.h"
#include "loader/options_builder.h"
#include "loader/worker_listeners.h"
#include "metrics/topic_board.h"
#include "sink/options.h"
#include "transform/properties/outbox_routing.h"

namespace walduct::loader {
namespace {

void CheckAndBuild(config::PropertySet properties, const std::string& default_name,
                   const std::string& login_file, bool reaches_kafka, LoadResult* result) {
  const std::string name = properties.IsSet("name") ? properties.Find("name")->value : default_name;
  const std::optional<transform::Guess> prefix = transform::GuessTopicPrefix(name, &properties);
  const config::Masking masking(properties);
  config::Findings findings(properties, masking);
  if (prefix) transform::ReportGuess(*prefix, properties.Boolean("walduct.strict"), &findings);
  result->properties = config::CheckProperties(properties, masking, &findings);
  transform::ChainSpec chain = CheckCombinations(properties, &findings);
  if (!findings.refused() && result->errors.empty()) {
    result->options = BuildOptions(properties, std::move(chain), default_name, &findings);
    if (reaches_kafka) WarnOfDefaultBroker(properties, result->options, &findings);
    result->listen = BuildListen(properties, &findings);
    result->console = console::BuildConsole(properties);
    if (properties.IsSet("walduct.listen"))
      result->access = BuildAccess(properties, login_file, &findings);
  }
  config::CloseReport(properties, &findings, result);
}

}  // namespace

LoadResult LoadConnector(const config::LoadRequest& request, const std::string& login_file) {
  LoadResult result;
  std::optional<config::PropertySet> properties =
      config::ReadProperties(request, AllProperties(), &result);
  if (properties) {
    CheckAndBuild(*std::move(properties),
                  std::filesystem::path(request.connector_path).stem().string(), login_file,
                  request.reaches_kafka, &result);
  }
  return result;
}

bool CountTopics(const std::shared_ptr<metrics::TopicBoard>& topics, LoadResult* result) {
  return result->options.sink->target->CountTopics(topics);
}

}  // namespace walduct::loader
