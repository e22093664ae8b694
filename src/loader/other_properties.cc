#include "loader/other_properties.h"

#include <string>

#include "config/properties/class_names.h"

namespace walduct::loader {
namespace {

using enum config::PropertyType;
using enum config::Support;

std::string CheckConnectorClass(absl::string_view value) {
  if (config::NamesClass(value, "io.debezium.connector.postgresql.PostgresConnector", "Connector"))
    return "";
  return "is not the PostgreSQL connector";
}

constexpr config::PropertyDefinition kConnector[] = {
    {.name = "name",
     .doc = "Name of the connector; part of the stored position's key. Default: the file name."},
    {.name = "connector.class",
     .type = kClass,
     .doc = "io.debezium.connector.postgresql.PostgresConnector; may be left out.",
     .fix = "use io.debezium.connector.postgresql.PostgresConnector or leave it out; "
            "docs/not-yet.md says what to use for other sources",
     .validator = CheckConnectorClass},
    {.name = "connector.plugin.version",
     .support = kNoEffect,
     .doc = "Version of connector.class among those that a worker of Kafka Connect has.",
     .note = "walduct is one version"},
    {.name = "<part>.converter.plugin.version",
     .support = kNoEffect,
     .doc = "Version of a converter among those that a worker of Kafka Connect has.",
     .note = "converters are built in, in one version"},
    {.name = "tasks.max",
     .type = kPositiveInt,
     .default_value = "1",
     .support = kNoEffect,
     .doc = "Largest number of tasks.",
     .note = "the connector always has exactly one task, as with Debezium"},
    {.name = "tasks.max.enforce",
     .type = kBoolean,
     .default_value = "true",
     .support = kNoEffect,
     .doc = "Enforce tasks.max.",
     .note = "the connector always has exactly one task"},
};

constexpr config::PropertyDefinition kDelivery[] = {
    {.name = "config.action.reload",
     .type = kEnum,
     .default_value = "restart",
     .support = kNotYetWarned,
     .doc = "What to do when a provider's value changes.",
     .note = "references are resolved once, at startup",
     .allowed = "none, restart"},
};

}  // namespace

absl::Span<const config::PropertyDefinition> ConnectorProperties() { return kConnector; }
absl::Span<const config::PropertyDefinition> DeliveryProperties() { return kDelivery; }

}  // namespace walduct::loader
