#include "console/console_properties.h"

namespace walduct::console {
namespace {

using enum config::PropertyType;

constexpr config::PropertyDefinition kRows[] = {
    {.name = "walduct.console.enabled",
     .type = kBoolean,
     .default_value = "true",
     .doc = "Answer /console, a page for people, where the process listens (`listeners` of "
            "`walduct serve`, walduct.listen); see docs/console.md."},
    {.name = "walduct.console.write",
     .type = kBoolean,
     .default_value = "false",
     .doc = "The console of `walduct serve` may pause, resume, restart, stop, create and delete "
            "connectors, skip a change and send signals, for those whom the REST interface lets do "
            "so. Otherwise it only shows, as it always does in `walduct run`."},
    {.name = "walduct.console.values",
     .type = kBoolean,
     .default_value = "false",
     .doc = "The console's live tail shows the beginnings of keys and values to everybody who may "
            "open the page, as records have them (masks of columns hold). Otherwise it shows "
            "topics, operations, positions and sizes."},
};

}  // namespace

absl::Span<const config::PropertyDefinition> ConsoleProperties() { return kRows; }

ConsoleOptions BuildConsole(const config::PropertySet& properties) {
  return {.enabled = properties.Boolean("walduct.console.enabled"),
          .write = properties.Boolean("walduct.console.write"),
          .values = properties.Boolean("walduct.console.values")};
}

}  // namespace walduct::console
