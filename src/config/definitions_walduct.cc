// Properties that only walduct has.
#include "config/definition.h"
#include "config/validators.h"

namespace walduct::config {
namespace {

using enum PropertyType;
using enum Support;
constexpr PropertyGroup kGroup = PropertyGroup::kWalduct;

constexpr PropertyDefinition kDefinitions[] = {
    {.name = "sink",
     .group = kGroup,
     .type = kEnum,
     .default_value = "kafka",
     .doc = "Where records go: to Kafka, or as one JSON object per record to standard output or a "
            "file.",
     .allowed = "kafka, stdout, file"},
    {.name = "sink.file.path", .group = kGroup, .doc = "File of sink=file."},
    {.name = "walduct.connect.timeout.ms",
     .group = kGroup,
     .type = kPositiveLong,
     .default_value = "30000",
     .doc = "Longest wait for a connection to PostgreSQL."},
    {.name = "walduct.lost.values",
     .group = kGroup,
     .type = kEnum,
     .default_value = "debezium",
     .doc = "Values that Debezium loses: its bytes (mostly null), or the values, see "
            "docs/differences.md.",
     .allowed = "debezium, keep"},
    {.name = "walduct.shutdown.timeout.ms",
     .group = kGroup,
     .type = kPositiveLong,
     .default_value = "8000",
     .doc = "Longest wait for records in flight at a stop."},
    {.name = "walduct.catalog.delay.ms",
     .group = kGroup,
     .type = kNonNegativeLong,
     .default_value = "500",
     .doc = "How long after its commit the change that announces a table, or a change of one, is "
            "described "
            "from the catalog: a migration of several statements is then seen whole. Costs nothing "
            "when "
            "the stream lags."},
    {.name = "walduct.unknown.properties",
     .group = kGroup,
     .type = kEnum,
     .default_value = "warn",
     .doc = "What a property that walduct does not know leads to: a warning or a refusal to start.",
     .allowed = "warn, fail"},
};

}  // namespace

absl::Span<const PropertyDefinition> WalductDefinitions() { return kDefinitions; }

}  // namespace walduct::config
