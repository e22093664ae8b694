#include "config/secret_source.h"

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "config/files/config_providers.h"
#include "config/files/key_values.h"

namespace walduct::config {

std::function<std::optional<std::string>()> ReadAgain(const PropertySet& properties,
                                                      absl::string_view name) {
  const Property* property = properties.Find(name);
  if (property == nullptr || !ConfigProviders::HasReference(property->raw)) return nullptr;
  KeyValues declarations;
  for (const Property& other : properties.all()) {
    if (absl::StartsWith(other.name, "config.providers"))
      declarations.emplace_back(other.name, other.raw);
  }
  return [raw = property->raw, declarations]() -> std::optional<std::string> {
    const absl::StatusOr<std::unique_ptr<ConfigProviders>> providers =
        ConfigProviders::Create(declarations);
    if (!providers.ok()) return std::nullopt;
    absl::StatusOr<std::string> value = (*providers)->Resolve(raw);
    if (!value.ok()) return std::nullopt;
    return *std::move(value);
  };
}

}  // namespace walduct::config
