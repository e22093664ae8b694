#include "loader/options_builder.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "config/transforms/transform_class.h"
#include "loader/classes.h"

namespace walduct::loader {
namespace {

engine::HeartbeatOptions BuildHeartbeat(const config::PropertySet& properties,
                                        config::Findings* findings) {
  engine::HeartbeatOptions heartbeat;
  heartbeat.interval = properties.Milliseconds("heartbeat.interval.ms");
  heartbeat.action_query =
      std::string(absl::StripAsciiWhitespace(properties.Text("heartbeat.action.query")));
  if (heartbeat.interval <= absl::ZeroDuration() && !heartbeat.action_query.empty()) {
    findings->Warn("heartbeat.action.query",
                   "has no effect: it runs with each heartbeat; set heartbeat.interval.ms");
  }
  return heartbeat;
}

engine::RecordErrorOptions BuildRecordErrors(const config::PropertySet& properties,
                                             const config::TransformChainOptions& chain) {
  engine::RecordErrorOptions errors;
  errors.tolerate = properties.Text("errors.tolerance") == "all";
  if (errors.tolerate)
    errors.dead_letter_topic = properties.Text("errors.deadletterqueue.topic.name");
  errors.context_headers = properties.Boolean("errors.deadletterqueue.context.headers.enable");
  errors.log = properties.Boolean("errors.log.enable");
  errors.log_records = properties.Boolean("errors.log.include.messages");
  errors.value_converter = FullConverterName(properties.Text("value.converter"));
  errors.header_converter = FullConverterName(properties.Text("header.converter"));
  for (const config::TransformSpec& transform : chain.transforms) {
    const config::Property* type =
        properties.Find(absl::StrCat("transforms.", transform.alias, ".type"));
    // The router of walduct.outbox.tables has no line of its own.
    errors.transforms[transform.alias] = config::FullTransformClass(
        type == nullptr ? "EventRouter" : absl::string_view(type->value));
  }
  return errors;
}

engine::RuntimeOptions BuildRuntime(const config::PropertySet& properties) {
  engine::RuntimeOptions runtime;
  runtime.errors_max_retries = static_cast<int>(properties.Integer("errors.max.retries"));
  runtime.retry_wait = properties.Milliseconds("retriable.restart.connector.wait.ms");
  runtime.shutdown_timeout = properties.Milliseconds("walduct.shutdown.timeout.ms");
  runtime.catalog_delay = properties.Milliseconds("walduct.catalog.delay.ms");
  return runtime;
}

outbox::OutboxCleanup ParseOutboxCleanup(absl::string_view mode) {
  if (mode == "delete") return outbox::OutboxCleanup::kDelete;
  if (mode == "drop_partitions") return outbox::OutboxCleanup::kDropPartitions;
  CHECK(mode == "none");
  return outbox::OutboxCleanup::kNone;
}

outbox::OutboxOptions BuildOutbox(const config::PropertySet& properties) {
  outbox::OutboxOptions outbox;
  outbox.tables = properties.Regexes("walduct.outbox.tables");
  outbox.cleanup = ParseOutboxCleanup(properties.Text("walduct.outbox.cleanup"));
  outbox.retention = properties.Milliseconds("walduct.outbox.retention.ms");
  outbox.time_column = properties.Text("walduct.outbox.cleanup.time.column");
  outbox.interval = properties.Milliseconds("walduct.outbox.cleanup.interval.ms");
  outbox.batch_rows = properties.Integer("walduct.outbox.cleanup.batch.size");
  outbox.delete_history = properties.Text("walduct.outbox.cleanup.history") == "delete";
  return outbox;
}

std::string BuildName(const config::PropertySet& properties, const std::string& default_name,
                      config::Findings* findings) {
  if (properties.IsSet("name"))
    return std::string(absl::StripAsciiWhitespace(properties.Text("name")));
  findings->Warn("name",
                 absl::StrCat("not set: '", default_name,
                              "', the file's name, is used; the stored position depends on it"));
  return default_name;
}

void WarnOfDefaultBroker(const config::PropertySet& properties,
                         const engine::ConnectorOptions& options, config::Findings* findings) {
  const bool needs_kafka = options.sink.kind == sink::SinkKind::kKafka ||
                           options.offset.kind == offset::OffsetStoreKind::kKafkaTopic;
  const bool given = properties.IsSet("bootstrap.servers") ||
                     properties.IsSet("producer.bootstrap.servers") ||
                     properties.IsSet("producer.override.bootstrap.servers");
  if (!needs_kafka || given) return;
  findings->Warn("bootstrap.servers", absl::StrCat("not set: '", options.kafka.bootstrap_servers,
                                                   "' is used, as Kafka Connect does"));
}

}  // namespace

engine::ConnectorOptions BuildOptions(const config::PropertySet& properties,
                                      const std::string& default_name, config::Findings* findings) {
  engine::ConnectorOptions options;
  options.name = BuildName(properties, default_name, findings);
  options.database = BuildDatabase(properties);
  options.replication = BuildReplication(properties, findings);
  options.tables = BuildTables(properties);
  options.snapshot = BuildSnapshot(properties);
  options.encode = BuildEncode(properties, findings);
  options.route = BuildRoute(properties);
  options.chain = BuildChain(properties);
  options.kafka = BuildKafka(properties);
  options.sink = BuildSink(properties, options.kafka);
  options.offset = BuildOffset(properties, options.sink, findings);
  options.heartbeat = BuildHeartbeat(properties, findings);
  options.record_errors = BuildRecordErrors(properties, options.chain);
  options.sink.dead_letter_topic = options.record_errors.dead_letter_topic;
  options.sink.dead_letter_replication_factor =
      static_cast<int>(properties.Integer("errors.deadletterqueue.topic.replication.factor"));
  options.runtime = BuildRuntime(properties);
  options.outbox = BuildOutbox(properties);
  WarnOfDefaultBroker(properties, options, findings);
  return options;
}

}  // namespace walduct::loader
