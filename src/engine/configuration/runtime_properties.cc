#include "engine/configuration/runtime_properties.h"

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "config/properties/validators.h"

namespace walduct::engine {
namespace {

using enum config::PropertyType;
using enum config::Support;

constexpr absl::string_view kNoQueue =
    "there is no queue: memory is bounded in bytes by the producer's buffer.memory";

constexpr absl::string_view kNoPolling =
    "there is no polling: records are passed on as they arrive";

constexpr config::PropertyDefinition kRows[] = {
    {.name = "max.batch.size",
     .type = kPositiveInt,
     .default_value = "2048",
     .support = kNoEffect,
     .doc = "Largest number of records per batch handed to Connect.",
     .note = kNoQueue},
    {.name = "max.queue.size",
     .type = kPositiveInt,
     .default_value = "8192",
     .support = kNoEffect,
     .doc = "Largest number of records queued for Connect.",
     .note = kNoQueue},
    {.name = "max.queue.size.in.bytes",
     .type = kNonNegativeLong,
     .default_value = "0",
     .support = kNoEffect,
     .doc = "Largest number of bytes queued for Connect.",
     .note = kNoQueue},
    {.name = "queue.provider.type",
     .default_value = "memory",
     .support = kNoEffect,
     .doc = "Type of that queue.",
     .note = kNoQueue},
    {.name = "poll.interval.ms",
     .type = kPositiveLong,
     .default_value = "500",
     .support = kNoEffect,
     .doc = "Wait after finding nothing to read.",
     .note = kNoPolling},
    {.name = "poll.dispatch.interval.ms",
     .type = kNonNegativeLong,
     .default_value = "0",
     .support = kNoEffect,
     .doc = "Wait between two batches.",
     .note = kNoPolling},
    {.name = "errors.max.retries",
     .type = kInt,
     .default_value = "-1",
     .doc = "Retries after retriable errors before giving up; -1: no limit."},
    {.name = "retriable.restart.connector.wait.ms",
     .type = kPositiveLong,
     .default_value = "10000",
     .doc = "Longest wait between two retries."},
    {.name = "internal.custom.retriable.exception",
     .type = kRegex,
     .support = kNoEffect,
     .doc = "Error messages to treat as retriable.",
     .note = "errors are classified by SQLSTATE and Kafka error code"},
    {.name = "executor.shutdown.timeout.ms",
     .type = kPositiveLong,
     .default_value = "4000",
     .support = kNoEffect,
     .doc = "Longest wait for threads to end.",
     .note = "see walduct.shutdown.timeout.ms"},
    {.name = "guardrail.collections.max",
     .type = kNonNegativeInt,
     .default_value = "0",
     .support = kNotYetWarned,
     .doc = "Largest number of captured tables; 0: no limit.",
     .note = "the number of tables is not checked yet"},
    {.name = "guardrail.collections.limit.action",
     .type = kEnum,
     .default_value = "warn",
     .support = kNotYetWarned,
     .doc = "What to do when there are more tables than the limit.",
     .note = "the number of tables is not checked yet",
     .allowed = "warn, fail"},
    {.name = "custom.metric.tags",
     .doc = "Tags of the debezium_ series, as k=v,…: they stand behind the prefix in their label "
            "name.",
     .validator = config::CheckPairs},
    {.name = "internal.advanced.metrics.enable",
     .type = kBoolean,
     .default_value = "false",
     .doc = "Tell the changes of each table in debezium_ series, too.",
     .aliases = "advanced.metrics.enable"},
    {.name = "statistics.metrics.enabled",
     .type = kBoolean,
     .default_value = "true",
     .support = kNoEffect,
     .doc = "Keep quantiles of the lag.",
     .note = "applies to Java's metrics only"},
    {.name = "query.fetch.size",
     .type = kNonNegativeInt,
     .default_value = "0",
     .support = kNoEffect,
     .doc = "Rows fetched at a time while streaming.",
     .note = "Debezium does not use it for PostgreSQL"},
    {.name = "openlineage.integration.*",
     .support = kNotYetWarned,
     .doc = "Lineage events for OpenLineage.",
     .note = "lineage events are not sent"},
};

constexpr config::PropertyDefinition kDelays[] = {
    {.name = "walduct.shutdown.timeout.ms",
     .type = kPositiveLong,
     .default_value = "7500",
     .doc = "Time limit from a stop to the end of the process. Records that are not acknowledged "
            "halfway through it are read again at the next start."},
    {.name = "walduct.stall.warn.ms",
     .type = kNonNegativeLong,
     .default_value = "10000",
     .doc = "How long nothing may progress before a line in the log says what is waited for, since "
            "when, and what it costs; then again every 30 s. 0: never."},
    {.name = "walduct.catalog.delay.ms",
     .type = kNonNegativeLong,
     .default_value = "500",
     .doc = "How long after the commit of a table's first change, or of a change to its "
            "definition, its description is read from the catalog: a migration of several "
            "statements is then seen as a whole. Costs nothing when the stream lags."},
};

// Numbers that fail their own check were reported already.
bool IsValid(const config::PropertySet& properties, absl::string_view name) {
  const config::Property* property = properties.Find(name);
  return property == nullptr || config::CheckValue(*property->definition, property->value).empty();
}

}  // namespace

absl::Span<const config::PropertyDefinition> RuntimeProperties() { return kRows; }
absl::Span<const config::PropertyDefinition> DelayProperties() { return kDelays; }

void CheckRuntime(const config::PropertySet& properties, config::Findings* findings) {
  if (!properties.IsSet("max.queue.size") && !properties.IsSet("max.batch.size")) return;
  if (!IsValid(properties, "max.queue.size") || !IsValid(properties, "max.batch.size")) return;
  if (properties.Integer("max.queue.size") > properties.Integer("max.batch.size")) return;
  const absl::string_view name =
      properties.IsSet("max.queue.size") ? "max.queue.size" : "max.batch.size";
  findings->Error(name, "Must be larger than the maximum batch size",
                  "raise max.queue.size, or remove both: they have no effect");
}

RuntimeOptions BuildRuntime(const config::PropertySet& properties) {
  RuntimeOptions runtime;
  runtime.errors_max_retries = static_cast<int>(properties.Integer("errors.max.retries"));
  runtime.retry_wait = properties.Milliseconds("retriable.restart.connector.wait.ms");
  runtime.shutdown_timeout = properties.Milliseconds("walduct.shutdown.timeout.ms");
  runtime.stall_warning = properties.Milliseconds("walduct.stall.warn.ms");
  runtime.catalog_delay = properties.Milliseconds("walduct.catalog.delay.ms");
  const std::string tags = properties.Text("custom.metric.tags");
  for (const absl::string_view tag : absl::StrSplit(tags, ',', absl::SkipWhitespace()))
    absl::StrAppend(&runtime.metric_tags, ", ", absl::StripAsciiWhitespace(tag));
  runtime.counts_per_table = properties.Boolean("internal.advanced.metrics.enable");
  return runtime;
}

}  // namespace walduct::engine
