#include "registry/open_clients.h"

#include "base/status_macros.h"
#include "registry/options.h"
#include "registry/registry_client.h"

namespace walduct::registry {

absl::StatusOr<Clients> OpenClients(const RegistriesOptions& options, const std::string& connector,
                                    Clock& clock) {
  Clients clients;
  if (!options.key.urls.empty()) {
    ASSIGN_OR_RETURN(clients.first, RegistryClient::Create(options.key, connector, clock));
  }
  if (options.value.urls.empty()) return clients;
  if (SameRegistry(options.key, options.value)) {
    clients.second = clients.first;
    return clients;
  }
  ASSIGN_OR_RETURN(clients.second, RegistryClient::Create(options.value, connector, clock));
  return clients;
}

}  // namespace walduct::registry
