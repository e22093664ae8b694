#include "config/properties/own_properties.h"

namespace walduct::config {
namespace {

using enum PropertyType;

constexpr PropertyDefinition kMasking[] = {
    {.name = "custom.sanitize.pattern",
     .type = kRegex,
     .default_value =
         R"(.*secret$|.*password$|.*sasl\.jaas\.config$|.*basic\.auth\.user\.info|.*registry\.auth\.client-secret|.*credentials\.json$|.*connectionstring$|.*connection\.string$)",
     .doc = "Java regular expression of property names whose values are masked wherever they are "
            "shown; names known to be "
            "secret are masked in any case."},
};

constexpr PropertyDefinition kProviders[] = {
    {.name = "config.providers",
     .type = kList,
     .doc = "Names of providers for ${name:[path:]key} references; file, env, directory and dir "
            "need none."},
    {.name = "config.providers.*",
     .doc = "Class and parameters (allowed.paths, allowlist.pattern) of a provider."},
};

constexpr PropertyDefinition kStrictness[] = {
    {.name = "walduct.unknown.properties",
     .type = kEnum,
     .default_value = "warn",
     .doc = "What a property that walduct does not know leads to: a warning or a refusal to start. "
            "Unknown names that begin with walduct. are always refused.",
     .allowed = "warn, fail"},
    {.name = "walduct.strict",
     .type = kBoolean,
     .default_value = "false",
     .doc =
         "Whether configurations of the outbox that are not right are refused, with the lines to "
         "write, instead of being read as what was probably meant; see docs/outbox.md."},
};

}  // namespace

absl::Span<const PropertyDefinition> MaskingProperties() { return kMasking; }
absl::Span<const PropertyDefinition> ProviderProperties() { return kProviders; }
absl::Span<const PropertyDefinition> StrictnessProperties() { return kStrictness; }

}  // namespace walduct::config
