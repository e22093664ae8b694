#include "cli/listening.h"

#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "cli/configuration.h"
#include "loader/load_connector.h"

namespace walduct::cli {
namespace {

std::map<std::string, admin::ShownConfig> ShownConfigs(
    const std::vector<loader::LoadResult>& results) {
  std::map<std::string, admin::ShownConfig> configs;
  for (const loader::LoadResult& result : results) {
    admin::ShownConfig& config = configs[result.options.name];
    for (const config::PropertyReport& property : result.properties)
      config.emplace_back(property.name, property.value);
  }
  return configs;
}

}  // namespace

bool ChooseListenAddress(const Arguments& arguments, const std::vector<loader::LoadResult>& results,
                         std::optional<http::Address>* address) {
  if (!arguments.listen.empty()) {
    absl::StatusOr<http::Address> parsed = http::ParseAddress(arguments.listen);
    if (!parsed.ok()) {
      Refuse(absl::StrCat("--listen: '", arguments.listen, "' ", parsed.status().message()));
      return false;
    }
    *address = *std::move(parsed);
    return true;
  }
  for (const loader::LoadResult& result : results) {
    const std::optional<http::Address>& wanted = result.listen.address;
    if (!wanted) continue;
    if (*address && (*address)->ToString() != wanted->ToString()) {
      Refuse(absl::StrCat("property 'walduct.listen': one connector says '", (*address)->ToString(),
                          "', another '", wanted->ToString(),
                          "'; a process listens in one place: set it in the worker file only"));
      return false;
    }
    *address = wanted;
  }
  return true;
}

std::unique_ptr<Listening> Listening::Open(const http::Address& address,
                                           const std::vector<loader::LoadResult>& results,
                                           const engine::Connectors& connectors, Clock& clock) {
  std::unique_ptr<Listening> listening(new Listening({.connectors = &connectors,
                                                      .clock = &clock,
                                                      .configs = ShownConfigs(results),
                                                      .worker = address.ToString()}));
  absl::StatusOr<std::unique_ptr<http::Listener>> listener =
      http::Listener::Open(address, &listening->surface_);
  if (!listener.ok()) {
    PrintStatus(listener.status());
    return nullptr;
  }
  listening->listener_ = *std::move(listener);
  log::Info("listening", {{"address", listening->listener_->address().ToString()}});
  return listening;
}

}  // namespace walduct::cli
