#include "incremental/incremental_properties.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "base/error.h"
#include "incremental/signals/table_name.h"
#include "java/text/text_lists.h"
#include "kafka/client.h"
#include "kafka/properties.h"

namespace walduct::incremental {
namespace {

using enum config::PropertyType;
using enum config::Support;

constexpr int kDefaultChunk = 1024;
constexpr absl::string_view kTriesOn =
    "a watermark that cannot be written is tried again until it can; the stream goes on meanwhile";

std::string CheckSignalCollection(absl::string_view value) {
  const std::vector<std::string> tables = java::SplitCommaList(value);
  if (tables.size() > 1)
    return "For single task connector only one signal data collection is permitted.";
  const bool none = absl::StripAsciiWhitespace(value).empty();
  return none || (!tables.empty() && ParseTableId(tables.front())) ? "" : "is not a table's name";
}

constexpr config::PropertyDefinition kIncremental[] = {
    {.name = "incremental.snapshot.chunk.size",
     .type = kNonNegativeInt,
     .default_value = "1024",
     .doc = "Rows per chunk of an incremental snapshot; 0 counts as the default."},
    {.name = "incremental.snapshot.watermarking.strategy",
     .type = kEnum,
     .default_value = "insert_insert",
     .doc = "How a window is closed: by another row in the signaling table, or by deleting the one "
            "that opened it.",
     .allowed = "insert_insert, insert_delete"},
    {.name = "walduct.snapshot.new.tables",
     .type = kEnum,
     .default_value = "tell",
     .doc =
         "What is done about a table that is captured only now, and may have rows: a line in the "
         "log, or an incremental snapshot of it.",
     .allowed = "tell, incremental"},
    {.name = "walduct.snapshot.keyless",
     .type = kEnum,
     .default_value = "skip",
     .doc = "What an incremental snapshot does with a table that has nothing to be walked by: it "
            "leaves it out (NO_PRIMARY_KEY), as Debezium's, or reads it by the blocks of its files "
            "(PostgreSQL 14). See docs/snapshots.md.",
     .allowed = "skip, ctid"},
    {.name = "incremental.snapshot.allow.schema.changes",
     .type = kBoolean,
     .default_value = "false",
     .support = kNoEffect,
     .doc = "Allow schema changes during an incremental snapshot.",
     .note = "always allowed: each chunk is read with the columns that the table then has"},
    {.name = "walduct.snapshot.rows.per.second",
     .type = kNonNegativeInt,
     .default_value = "0",
     .doc = "Most rows a second that an incremental snapshot reads; 0: no limit."},
    {.name = "walduct.snapshot.pause.retained.wal.bytes",
     .type = kNonNegativeLong,
     .default_value = "0",
     .doc = "While the slot keeps more WAL, an incremental snapshot reads nothing, until it is a "
            "fifth below; 0: never. See docs/snapshots.md."},
    {.name = "walduct.snapshot.pause.lag.ms",
     .type = kNonNegativeLong,
     .default_value = "0",
     .doc = "While the stream is later (commit to acknowledgement), an incremental snapshot reads "
            "nothing, until it is a fifth below; 0: never."},
    {.name = "walduct.snapshot.pause.kept",
     .type = kBoolean,
     .default_value = "false",
     .doc = "An incremental snapshot that pause-snapshot holds stays paused when the process is "
            "started again. false: it goes on then, as with Debezium; connecting anew keeps the "
            "pause in any case."},
};

constexpr config::PropertyDefinition kSignals[] = {
    {.name = "signal.data.collection",
     .type = kList,
     .doc = "Table (schema.table) to insert signals into; captured whatever the filters say.",
     .fix = "specify one table as schema.table",
     .validator = CheckSignalCollection},
    {.name = "signal.enabled.channels",
     .type = kList,
     .default_value = "source",
     .doc = "Where signals are read from: source, the signaling table; file; kafka. others "
            "have no effect."},
    {.name = "signal.poll.interval.ms",
     .type = kPositiveLong,
     .default_value = "5000",
     .doc = "Interval at which file and topic are looked at for signals."},
    {.name = "signal.kafka.topic",
     .doc =
         "Topic of signals, of which the first partition is read; default: <topic.prefix>-signal."},
    {.name = "signal.kafka.bootstrap.servers",
     .doc = "Brokers of the signal topic; default: the connector's, with its consumer properties."},
    {.name = "signal.kafka.groupId",
     .default_value = "kafka-signal",
     .doc = "Consumer group that the position in the signal topic is committed for."},
    {.name = "signal.kafka.poll.timeout.ms",
     .type = kNonNegativeInt,
     .default_value = "0",
     .doc = "How long a look at the signal topic waits for a record."},
    {.name = "signal.consumer.*", .doc = "Java consumer property for the signal topic."},
    {.name = "signal.file",
     .default_value = "file-signals.txt",
     .doc = "File that signals are read from, one on a line; emptied when they are carried out."},
    {.name = "signal.emit.failure.max.retries",
     .type = kInt,
     .default_value = "0",
     .support = kNoEffect,
     .doc = "Further attempts to write a watermark.",
     .note = kTriesOn},
    {.name = "signal.emit.failure.backoff.ms",
     .type = kNonNegativeLong,
     .default_value = "10000",
     .support = kNoEffect,
     .doc = "Wait between those attempts.",
     .note = kTriesOn},
    {.name = "notification.enabled.channels",
     .type = kList,
     .doc = "Where notifications go: sink, a topic; log. jmx has no effect."},
    {.name = "notification.sink.topic.name", .doc = "Topic of notifications."},
    {.name = "walduct.notification.refused.signals",
     .type = kBoolean,
     .default_value = "false",
     .doc =
         "Also tells those channels of a signal that is unknown or malformed (REFUSED), of which "
         "Debezium tells nothing."},
};

bool HasChannel(const config::PropertySet& properties, absl::string_view channel) {
  return java::ListContains(properties.Text("signal.enabled.channels"), channel);
}

bool TakesSignals(const config::PropertySet& properties) {
  return properties.IsSet("signal.data.collection") && HasChannel(properties, "source");
}

std::map<std::string, std::string> ConsumerProperties(const config::PropertySet& properties) {
  std::map<std::string, std::string> consumer;
  for (const config::Property& property : properties.all()) {
    absl::string_view name = property.name;
    if (absl::ConsumePrefix(&name, "signal.consumer."))
      consumer[std::string(name)] = property.value;
  }
  return consumer;
}

// Debezium looks for channels of the names it knows, and leaves others alone.
void WarnOfOthers(const config::PropertySet& properties, absl::string_view name,
                  const std::vector<std::string>& known, config::Findings* findings) {
  for (const std::string& channel : java::SplitCommaList(properties.Text(name))) {
    if (std::find(known.begin(), known.end(), channel) != known.end()) continue;
    findings->Warn(name,
                   absl::StrCat("'", channel, "' has no effect: use ", absl::StrJoin(known, ", ")));
  }
}

void CheckConsumer(const config::PropertySet& properties, config::Findings* findings) {
  const absl::StatusOr<kafka::Properties> native =
      kafka::TranslateProperties(ConsumerProperties(properties));
  const absl::Status usable = native.ok() ? kafka::CheckUsable(*native) : native.status();
  if (usable.ok()) return;
  const std::string hint = ErrorHint(usable);
  findings->Error("signal.consumer", usable.message(),
                  hint.empty() ? "correct or remove it" : hint);
}

}  // namespace

absl::Span<const config::PropertyDefinition> IncrementalProperties() { return kIncremental; }
absl::Span<const config::PropertyDefinition> SignalProperties() { return kSignals; }

void CheckIncremental(const config::PropertySet& properties, config::Findings* findings) {
  WarnOfOthers(properties, "signal.enabled.channels", {"source", "file", "kafka"}, findings);
  WarnOfOthers(properties, "notification.enabled.channels", {"sink", "log"}, findings);
  if (HasChannel(properties, "kafka")) CheckConsumer(properties, findings);
  if (!java::ListContains(properties.Text("notification.enabled.channels"), "sink") ||
      properties.IsSet("notification.sink.topic.name"))
    return;
  findings->Error(
      "notification.sink.topic.name",
      "Notification topic name must be provided when kafka notification channel is enabled",
      "add it, or remove 'sink' from notification.enabled.channels");
}

IncrementalOptions BuildIncremental(const config::PropertySet& properties) {
  IncrementalOptions options;
  if (properties.IsSet("signal.data.collection")) {
    for (const std::string& one : java::SplitCommaList(properties.Text("signal.data.collection"))) {
      if (const auto table = ParseTableId(one)) {
        options.signal_schema = table->schema;
        options.signal_table = table->table;
      }
    }
  }
  options.source_channel = TakesSignals(properties);
  options.read_only = properties.Text("read.only") == "true";
  options.file_channel = HasChannel(properties, "file");
  options.signal_file = properties.Text("signal.file");
  options.kafka_channel = HasChannel(properties, "kafka");
  options.kafka_topic = properties.IsSet("signal.kafka.topic")
                            ? properties.Text("signal.kafka.topic")
                            : absl::StrCat(properties.Text("topic.prefix"), "-signal");
  options.kafka_group = properties.Text("signal.kafka.groupId");
  options.kafka_brokers = properties.Text("signal.kafka.bootstrap.servers");
  options.kafka_consumer = ConsumerProperties(properties);
  options.kafka_poll_timeout = properties.Milliseconds("signal.kafka.poll.timeout.ms");
  options.poll_interval = properties.Milliseconds("signal.poll.interval.ms");
  options.deletes_watermarks =
      properties.Text("incremental.snapshot.watermarking.strategy") == "insert_delete";
  const auto chunk = static_cast<int>(properties.Integer("incremental.snapshot.chunk.size"));
  options.chunk_size = chunk == 0 ? kDefaultChunk : chunk;
  options.pace.rows_per_second =
      static_cast<uint64_t>(properties.Integer("walduct.snapshot.rows.per.second"));
  options.pace.retained_bytes =
      static_cast<uint64_t>(properties.Integer("walduct.snapshot.pause.retained.wal.bytes"));
  options.pace.lag = properties.Milliseconds("walduct.snapshot.pause.lag.ms");
  options.reads_by_place = properties.Text("walduct.snapshot.keyless") == "ctid";
  options.keeps_pause = properties.Text("walduct.snapshot.pause.kept") == "true";
  options.reads_new_tables = properties.Text("walduct.snapshot.new.tables") == "incremental";
  const std::string channels = properties.Text("notification.enabled.channels");
  options.notifies_sink = java::ListContains(channels, "sink");
  options.notifies_log = java::ListContains(channels, "log");
  options.notification_topic = properties.Text("notification.sink.topic.name");
  options.tells_refusals = properties.Text("walduct.notification.refused.signals") == "true";
  return options;
}

}  // namespace walduct::incremental
