#include "config/properties/own_properties.h"

namespace walduct::config {
namespace {

using enum PropertyType;

constexpr PropertyDefinition kMasking[] = {
    {.name = "custom.sanitize.pattern",
     .type = kRegex,
     .default_value =
         R"(.*secret$|.*password$|.*sasl\.jaas\.config$|.*basic\.auth\.user\.info|.*registry\.auth\.client-secret|.*credentials\.json$|.*connectionstring$|.*connection\.string$)",
     .doc = "Java regular expression for names of properties whose values are masked in all "
            "output; known secrets are always masked."},
};

constexpr PropertyDefinition kProviders[] = {
    {.name = "config.providers",
     .type = kList,
     .doc = "Names of providers for ${name:[path:]key} references; file, env, directory and dir "
            "need no entry."},
    {.name = "config.providers.*",
     .doc = "Class and parameters (allowed.paths, allowlist.pattern) of a provider."},
};

constexpr PropertyDefinition kStrictness[] = {
    {.name = "walduct.unknown.properties",
     .type = kEnum,
     .default_value = "warn",
     .doc = "What to do with an unknown property: warn, or refuse to start. Unknown names that "
            "begin with walduct. are always refused.",
     .allowed = "warn, fail"},
    {.name = "walduct.strict",
     .type = kBoolean,
     .default_value = "false",
     .doc = "Refuse what is not exactly right, with the lines to write, instead of guessing what "
            "was meant: outbox settings (see docs/outbox.md), older names, options that a "
            "transform does not have."},
};

}  // namespace

absl::Span<const PropertyDefinition> MaskingProperties() { return kMasking; }
absl::Span<const PropertyDefinition> ProviderProperties() { return kProviders; }
absl::Span<const PropertyDefinition> StrictnessProperties() { return kStrictness; }

}  // namespace walduct::config
