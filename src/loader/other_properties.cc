#include "loader/other_properties.h"

#include <string>

#include "config/properties/class_names.h"
#include "java/text/text_lists.h"

namespace walduct::loader {
namespace {

using enum config::PropertyType;
using enum config::Support;

std::string CheckConnectorClass(absl::string_view value) {
  if (config::NamesClass(value, "io.debezium.connector.postgresql.PostgresConnector", "Connector"))
    return "";
  return "is not the PostgreSQL connector";
}

std::string CheckSignalCollection(absl::string_view value) {
  return java::SplitCommaList(value).size() <= 1
             ? ""
             : "For single task connector only one signal data collection is permitted.";
}

constexpr absl::string_view kNoSignals = "signals are not supported yet";

constexpr config::PropertyDefinition kConnector[] = {
    {.name = "name",
     .doc = "Name of the connector; part of the stored position's key. Default: the file name."},
    {.name = "connector.class",
     .type = kClass,
     .doc = "io.debezium.connector.postgresql.PostgresConnector; may be left out.",
     .fix = "use io.debezium.connector.postgresql.PostgresConnector or leave it out",
     .validator = CheckConnectorClass},
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

constexpr config::PropertyDefinition kSignals[] = {
    {.name = "signal.data.collection",
     .type = kList,
     .support = kNotYetWarned,
     .doc = "Table (schema.table) to insert signals into.",
     .note = kNoSignals,
     .fix = "specify one table as schema.table",
     .validator = CheckSignalCollection},
    {.name = "signal.enabled.channels",
     .type = kList,
     .default_value = "source",
     .support = kNotYetWarned,
     .doc = "Where signals are read from.",
     .note = kNoSignals},
    {.name = "signal.poll.interval.ms",
     .type = kPositiveLong,
     .default_value = "5000",
     .support = kNotYetWarned,
     .doc = "Interval at which signals are polled.",
     .note = kNoSignals},
    {.name = "signal.kafka.topic",
     .support = kNotYetWarned,
     .doc = "Topic of signals.",
     .note = kNoSignals},
    {.name = "signal.kafka.bootstrap.servers",
     .support = kNotYetWarned,
     .doc = "Brokers of the signal topic.",
     .note = kNoSignals},
    {.name = "signal.kafka.groupId",
     .default_value = "kafka-signal",
     .support = kNotYetWarned,
     .doc = "Consumer group for the signal topic.",
     .note = kNoSignals},
    {.name = "signal.kafka.poll.timeout.ms",
     .type = kNonNegativeInt,
     .default_value = "0",
     .support = kNotYetWarned,
     .doc = "Poll timeout for the signal topic.",
     .note = kNoSignals},
    {.name = "signal.consumer.*",
     .support = kNotYetWarned,
     .doc = "Consumer property for the signal topic.",
     .note = kNoSignals},
    {.name = "signal.file",
     .default_value = "file-signals.txt",
     .support = kNotYetWarned,
     .doc = "File that signals are read from.",
     .note = kNoSignals},
    {.name = "signal.emit.failure.max.retries",
     .type = kInt,
     .default_value = "0",
     .support = kNotYetWarned,
     .doc = "Further attempts to write a watermark.",
     .note = kNoSignals},
    {.name = "signal.emit.failure.backoff.ms",
     .type = kNonNegativeLong,
     .default_value = "10000",
     .support = kNotYetWarned,
     .doc = "Wait between those attempts.",
     .note = kNoSignals},
    {.name = "notification.enabled.channels",
     .type = kList,
     .support = kNotYetWarned,
     .doc = "Where notifications go: sink, log, jmx.",
     .note = "notifications are not written yet; progress is in the log"},
    {.name = "notification.sink.topic.name",
     .support = kNotYetWarned,
     .doc = "Topic of notifications.",
     .note = "notifications are not written yet; progress is in the log"},
};

}  // namespace

absl::Span<const config::PropertyDefinition> ConnectorProperties() { return kConnector; }
absl::Span<const config::PropertyDefinition> DeliveryProperties() { return kDelivery; }
absl::Span<const config::PropertyDefinition> SignalProperties() { return kSignals; }

void CheckNotifications(const config::PropertySet& properties, config::Findings* findings) {
  if (!java::ListContains(properties.Text("notification.enabled.channels"), "sink") ||
      properties.IsSet("notification.sink.topic.name"))
    return;
  findings->Error(
      "notification.sink.topic.name",
      "Notification topic name must be provided when kafka notification channel is enabled",
      "add it, or remove 'sink' from notification.enabled.channels");
}

}  // namespace walduct::loader
