#include "config/secret_source.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/match.h"
#include "config/files/config_providers.h"
#include "config/files/key_values.h"

namespace walduct::config {
namespace {

KeyValues DeclarationsOf(const PropertySet& properties) {
  KeyValues declarations;
  for (const Property& property : properties.all()) {
    if (absl::StartsWith(property.name, "config.providers"))
      declarations.emplace_back(property.name, property.raw);
  }
  return declarations;
}

std::optional<PropertySet> ResolveAll(const PropertySet& properties,
                                      const KeyValues& declarations) {
  const absl::StatusOr<std::unique_ptr<ConfigProviders>> providers =
      ConfigProviders::Create(declarations);
  if (!providers.ok()) return std::nullopt;
  PropertySet now = properties;
  for (const Property& property : properties.all()) {
    if (!ConfigProviders::HasReference(property.raw)) continue;
    absl::StatusOr<std::string> value = (*providers)->Resolve(property.raw);
    if (!value.ok()) return std::nullopt;
    Property changed = property;
    changed.value = *std::move(value);
    now.Put(std::move(changed));
  }
  return now;
}

}  // namespace

std::function<std::optional<std::string>()> ReadAgain(const PropertySet& properties,
                                                      absl::string_view name) {
  const Property* property = properties.Find(name);
  if (property == nullptr || !ConfigProviders::HasReference(property->raw)) return nullptr;
  return [raw = property->raw,
          declarations = DeclarationsOf(properties)]() -> std::optional<std::string> {
    const absl::StatusOr<std::unique_ptr<ConfigProviders>> providers =
        ConfigProviders::Create(declarations);
    if (!providers.ok()) return std::nullopt;
    absl::StatusOr<std::string> value = (*providers)->Resolve(raw);
    if (!value.ok()) return std::nullopt;
    return *std::move(value);
  };
}

bool IsOfEnvironment(const PropertySet& properties, absl::string_view name) {
  const Property* property = properties.Find(name);
  if (property == nullptr) return false;
  const auto providers = ConfigProviders::Create(DeclarationsOf(properties));
  return providers.ok() && (*providers)->IsOfEnvironment(property->raw);
}

std::function<std::optional<PropertySet>()> ReadAllAgain(const PropertySet& properties) {
  const bool any = std::any_of(
      properties.all().begin(), properties.all().end(),
      [](const Property& property) { return ConfigProviders::HasReference(property.raw); });
  if (!any) return nullptr;
  return [properties, declarations = DeclarationsOf(properties)] {
    return ResolveAll(properties, declarations);
  };
}

}  // namespace walduct::config
