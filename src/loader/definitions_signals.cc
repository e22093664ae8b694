// Debezium's properties of signals, notifications and heartbeats.
#include "loader/definitions.h"
#include "loader/validators.h"

namespace walduct::loader {
namespace {

using enum config::PropertyType;
using enum config::Support;
constexpr absl::string_view kNoSignals = "signals are not acted on yet";

constexpr config::PropertyDefinition kDefinitions[] = {
    {.name = "signal.data.collection",
     .type = kList,
     .support = kNotYetWarned,
     .doc = "Table (schema.table) that signals are inserted into.",
     .note = kNoSignals,
     .fix = "name one table as schema.table",
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
     .doc = "Time between two looks for signals.",
     .note = kNoSignals},
    {.name = "signal.kafka.topic",
     .support = kNotYetWarned,
     .doc = "Topic of signals.",
     .note = kNoSignals},
    {.name = "signal.kafka.bootstrap.servers",
     .support = kNotYetWarned,
     .doc = "Brokers of that topic.",
     .note = kNoSignals},
    {.name = "signal.kafka.groupId",
     .default_value = "kafka-signal",
     .support = kNotYetWarned,
     .doc = "Consumer group of that topic.",
     .note = kNoSignals},
    {.name = "signal.kafka.poll.timeout.ms",
     .type = kNonNegativeInt,
     .default_value = "0",
     .support = kNotYetWarned,
     .doc = "Longest wait in one poll of that topic.",
     .note = kNoSignals},
    {.name = "signal.consumer.*",
     .support = kNotYetWarned,
     .doc = "Consumer property of the signal topic.",
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
     .doc = "Time between those attempts.",
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
    {.name = "heartbeat.interval.ms",
     .type = kNonNegativeInt,
     .default_value = "0",
     .doc = "Time between two heartbeat records; 0 is none. An idle slot is advanced by keepalives "
            "without them."},
    {.name = "heartbeat.action.query",
     .doc = "SQL run with each heartbeat, on a session of its own; a failure is logged."},
};

}  // namespace

absl::Span<const config::PropertyDefinition> SignalDefinitions() { return kDefinitions; }

}  // namespace walduct::loader
