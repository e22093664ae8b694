#include "config/options_builder.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/check.h"
#include "config/outbox_routing.h"
#include "config/properties/classes.h"
#include "config/properties/column_options.h"
#include "config/properties/topic_naming_options.h"
#include "config/text/text_lists.h"
#include "config/transforms/transform_checks.h"

namespace walduct::config {
namespace {

// Statements end at ';'; ";;" is a literal one.
std::vector<std::string> SplitStatements(absl::string_view text) {
  std::vector<std::string> statements;
  std::string statement;
  const auto finish = [&] {
    const absl::string_view trimmed = absl::StripAsciiWhitespace(statement);
    if (!trimmed.empty()) statements.emplace_back(trimmed);
    statement.clear();
  };
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != ';') {
      statement += text[i];
    } else if (i + 1 < text.size() && text[i + 1] == ';') {
      statement += ';';
      ++i;
    } else {
      finish();
    }
  }
  finish();
  return statements;
}

DatabaseOptions BuildDatabase(const PropertySet& properties) {
  DatabaseOptions database;
  database.hostname = properties.Text("database.hostname");
  database.port = static_cast<uint16_t>(properties.Integer("database.port"));
  database.user = properties.Text("database.user");
  database.password = properties.Text("database.password");
  database.dbname = properties.Text("database.dbname");
  database.sslmode = properties.Text("database.sslmode");
  database.sslcert = properties.Text("database.sslcert");
  database.sslkey = properties.Text("database.sslkey");
  database.sslpassword = properties.Text("database.sslpassword");
  database.sslrootcert = properties.Text("database.sslrootcert");
  database.tcp_keepalive = properties.Boolean("database.tcpKeepAlive");
  database.query_timeout = properties.Milliseconds("database.query.timeout.ms");
  database.connect_timeout = properties.Milliseconds("walduct.connect.timeout.ms");
  database.initial_statements = SplitStatements(properties.Text("database.initial.statements"));
  return database;
}

PublicationAutocreate ParseAutocreate(absl::string_view mode) {
  if (mode == "disabled") return PublicationAutocreate::kDisabled;
  if (mode == "filtered") return PublicationAutocreate::kFiltered;
  if (mode == "no_tables") return PublicationAutocreate::kNoTables;
  CHECK(mode == "all_tables");
  return PublicationAutocreate::kAllTables;
}

OffsetMismatch ParseMismatch(absl::string_view strategy) {
  if (strategy == "trust_offset") return OffsetMismatch::kTrustOffset;
  if (strategy == "trust_slot") return OffsetMismatch::kTrustSlot;
  if (strategy == "trust_greater_lsn") return OffsetMismatch::kTrustGreaterLsn;
  CHECK(strategy == "no_validation");
  return OffsetMismatch::kNoValidation;
}

// As Debezium: a part without '=' is dropped with a warning.
std::vector<std::pair<std::string, std::string>> BuildStreamParams(absl::string_view text,
                                                                   Findings* findings) {
  std::vector<std::pair<std::string, std::string>> params;
  for (const absl::string_view part : absl::StrSplit(text, ';', absl::SkipWhitespace())) {
    const std::vector<absl::string_view> sides = absl::StrSplit(part, absl::MaxSplits('=', 1));
    if (sides.size() == 2 && !absl::StripAsciiWhitespace(sides[0]).empty()) {
      params.emplace_back(absl::StripAsciiWhitespace(sides[0]),
                          absl::StripAsciiWhitespace(sides[1]));
    } else {
      findings->Warn("slot.stream.params",
                     absl::StrCat("'", part, "' is not of the form k=v and is ignored"));
    }
  }
  return params;
}

// The server's `publish` list, only when skipped.operations was given: its default does not reach the publication.
std::optional<std::string> BuildPublish(const PropertySet& properties) {
  if (!properties.IsSet("skipped.operations")) return std::nullopt;
  const std::string skipped = properties.Text("skipped.operations");
  std::vector<absl::string_view> published;
  constexpr std::pair<absl::string_view, absl::string_view> kOperations[] = {
      {"c", "insert"}, {"u", "update"}, {"d", "delete"}, {"t", "truncate"}};
  for (const auto& [letter, word] : kOperations) {
    if (!ListContains(skipped, letter)) published.push_back(word);
  }
  return absl::StrJoin(published, ",");
}

// "table-regex:FULL, table-regex:INDEX name"; the format was checked before.
std::vector<ReplicaIdentityRule> BuildReplicaIdentities(const PropertySet& properties) {
  std::vector<ReplicaIdentityRule> rules;
  for (const std::string& part :
       SplitCommaList(properties.Text("replica.identity.autoset.values"))) {
    const std::vector<absl::string_view> sides = absl::StrSplit(part, absl::MaxSplits(':', 1));
    absl::StatusOr<RegexList> tables = RegexList::Parse(sides[0]);
    CHECK(tables.ok());
    const std::vector<std::string> words = absl::StrSplit(sides[1], ' ', absl::SkipWhitespace());
    rules.push_back({.tables = *std::move(tables),
                     .identity = absl::AsciiStrToUpper(words[0]),
                     .index = words.size() > 1 ? words[1] : ""});
  }
  return rules;
}

ReplicationOptions BuildReplication(const PropertySet& properties, Findings* findings) {
  ReplicationOptions replication;
  replication.slot_name = properties.Text("slot.name");
  replication.drop_slot_on_stop = properties.Boolean("slot.drop.on.stop");
  replication.failover_slot = properties.Boolean("slot.failover");
  replication.stream_params = BuildStreamParams(properties.Text("slot.stream.params"), findings);
  replication.max_retries = static_cast<int>(properties.Integer("slot.max.retries"));
  replication.retry_delay = properties.Milliseconds("slot.retry.delay.ms");
  replication.publication_name = properties.Text("publication.name");
  replication.publication_autocreate =
      ParseAutocreate(properties.Text("publication.autocreate.mode"));
  replication.publish_via_partition_root = properties.Boolean("publish.via.partition.root");
  replication.status_interval = properties.Milliseconds("status.update.interval.ms");
  replication.create_slot_timeout =
      absl::Seconds(properties.Integer("internal.create.slot.command.timeout"));
  replication.replica_identities = BuildReplicaIdentities(properties);
  replication.offset_mismatch = ParseMismatch(properties.Text("offset.mismatch.strategy"));
  replication.publish_operations = BuildPublish(properties);
  return replication;
}

TableFilterOptions BuildTables(const PropertySet& properties) {
  TableFilterOptions tables;
  tables.schema_include = properties.Regexes("schema.include.list");
  tables.schema_exclude = properties.Regexes("schema.exclude.list");
  tables.table_include = properties.Regexes("table.include.list");
  tables.table_exclude = properties.Regexes("table.exclude.list");
  tables.ignore_builtin = properties.Boolean("table.ignore.builtin");
  return tables;
}

SnapshotMode ParseSnapshotMode(absl::string_view mode) {
  if (mode == "never") return SnapshotMode::kNever;
  if (mode == "no_data") return SnapshotMode::kNoData;
  if (mode == "initial_only") return SnapshotMode::kInitialOnly;
  if (mode == "always") return SnapshotMode::kAlways;
  if (mode == "when_needed") return SnapshotMode::kWhenNeeded;
  CHECK(mode == "initial");
  return SnapshotMode::kInitial;
}

SnapshotOptions BuildSnapshot(const PropertySet& properties) {
  SnapshotOptions snapshot;
  snapshot.mode = ParseSnapshotMode(properties.Text("snapshot.mode"));
  snapshot.include_collections = properties.Regexes("snapshot.include.collection.list");
  for (const std::string& table :
       SplitCommaList(properties.Text("snapshot.select.statement.overrides"))) {
    const std::string name = absl::StrCat("snapshot.select.statement.overrides.", table);
    if (properties.IsSet(name)) snapshot.select_overrides[table] = properties.Find(name)->value;
  }
  snapshot.lock_tables = properties.Text("snapshot.locking.mode") == "shared";
  snapshot.lock_timeout = properties.Milliseconds("snapshot.lock.timeout.ms");
  snapshot.delay = properties.Milliseconds("snapshot.delay.ms");
  snapshot.streaming_delay = properties.Milliseconds("streaming.delay.ms");
  return snapshot;
}

DecimalMode ParseDecimalMode(absl::string_view mode) {
  if (mode == "double") return DecimalMode::kDouble;
  return mode == "string" ? DecimalMode::kString : DecimalMode::kPrecise;
}

TimeMode ParseTimeMode(absl::string_view mode) {
  constexpr std::pair<absl::string_view, TimeMode> kModes[] = {
      {"adaptive_time_microseconds", TimeMode::kAdaptiveTimeMicroseconds},
      {"connect", TimeMode::kConnect},
      {"isostring", TimeMode::kIsoString},
      {"microseconds", TimeMode::kMicroseconds},
      {"nanoseconds", TimeMode::kNanoseconds}};
  for (const auto& [name, value] : kModes) {
    if (mode == name) return value;
  }
  return TimeMode::kAdaptive;
}

BinaryMode ParseBinaryMode(absl::string_view mode) {
  if (mode == "base64") return BinaryMode::kBase64;
  if (mode == "base64-url-safe") return BinaryMode::kBase64UrlSafe;
  return mode == "hex" ? BinaryMode::kHex : BinaryMode::kBytes;
}

ValueOptions BuildValues(const PropertySet& properties) {
  ValueOptions values;
  values.decimal = ParseDecimalMode(properties.Text("decimal.handling.mode"));
  values.time = ParseTimeMode(properties.Text("time.precision.mode"));
  values.binary = ParseBinaryMode(properties.Text("binary.handling.mode"));
  values.hstore_map = properties.Text("hstore.handling.mode") == "map";
  values.interval_string = properties.Text("interval.handling.mode") == "string";
  values.money_fraction_digits = static_cast<int32_t>(properties.Integer("money.fraction.digits"));
  values.include_unknown = properties.Boolean("include.unknown.datatypes");
  values.keep_lost = properties.Text("walduct.lost.values") == "keep";
  constexpr absl::string_view kFailure = "event.converting.failure.handling.mode";
  if (properties.IsSet(kFailure))
    values.on_failure =
        properties.Text(kFailure) == "fail" ? FailureMode::kStop : FailureMode::kNull;
  return values;
}

// "hex:<digits>" stands for the bytes.
std::string BuildPlaceholder(absl::string_view text) {
  constexpr absl::string_view kHex = "hex:";
  if (!absl::StartsWith(text, kHex)) return std::string(text);
  return absl::HexStringToBytes(text.substr(kHex.size()));
}

NameAdjustment ParseAdjustment(absl::string_view mode) {
  if (mode == "avro") return NameAdjustment::kAvro;
  if (mode == "avro_unicode") return NameAdjustment::kAvroUnicode;
  CHECK(mode == "none");
  return NameAdjustment::kNone;
}

EncodeOptions BuildEncode(const PropertySet& properties, Findings* findings) {
  EncodeOptions encode;
  encode.key = BuildConverter(properties, "key", findings);
  encode.value = BuildConverter(properties, "value", findings);
  if (!IsSimpleHeaderConverter(properties.Text("header.converter")))
    encode.header = BuildConverter(properties, "header", findings);
  encode.columns = BuildColumns(properties);
  encode.schema_names = ParseAdjustment(properties.Text("schema.name.adjustment.mode"));
  encode.field_names = ParseAdjustment(properties.Text("field.name.adjustment.mode"));
  encode.topic_prefix = properties.Text("topic.prefix");
  encode.database = properties.Text("database.dbname");
  encode.extended_headers = properties.Boolean("extended.headers.enabled");
  encode.values = BuildValues(properties);
  encode.unavailable_placeholder =
      BuildPlaceholder(properties.Text("unavailable.value.placeholder"));
  return encode;
}

TransformOptions BuildTransform(const PropertySet& properties) {
  TransformOptions transform;
  transform.topic_prefix = properties.Text("topic.prefix");
  transform.topic_delimiter = properties.Text("topic.delimiter");
  transform.naming = BuildTopicNaming(properties);
  if (properties.IsSet("message.key.columns")) {
    absl::StatusOr<MessageKeys> keys = MessageKeys::Parse(properties.Text("message.key.columns"));
    CHECK(keys.ok());  // checked before
    transform.message_keys = *std::move(keys);
  }
  transform.skip_unchanged = properties.Boolean("skip.messages.without.change");
  transform.transaction_metadata = properties.Boolean("provide.transaction.metadata");
  transform.transaction_suffix = properties.Text("topic.transaction");
  transform.heartbeat_prefix = properties.Text("topic.heartbeat.prefix");
  transform.heartbeat_topic = properties.Text("topic.heartbeat.name");
  transform.message_include = properties.Regexes("message.prefix.include.list");
  transform.message_exclude = properties.Regexes("message.prefix.exclude.list");
  transform.tombstones_on_delete = properties.Boolean("tombstones.on.delete");
  const std::string skipped = properties.Text("skipped.operations");
  transform.skip_create = ListContains(skipped, "c");
  transform.skip_update = ListContains(skipped, "u");
  transform.skip_delete = ListContains(skipped, "d");
  transform.skip_truncate = ListContains(skipped, "t");
  return transform;
}

HeartbeatOptions BuildHeartbeat(const PropertySet& properties, Findings* findings) {
  HeartbeatOptions heartbeat;
  heartbeat.interval = properties.Milliseconds("heartbeat.interval.ms");
  heartbeat.action_query =
      std::string(absl::StripAsciiWhitespace(properties.Text("heartbeat.action.query")));
  if (heartbeat.interval <= absl::ZeroDuration() && !heartbeat.action_query.empty()) {
    findings->Warn("heartbeat.action.query",
                   "has no effect: it runs with each heartbeat; set heartbeat.interval.ms");
  }
  return heartbeat;
}

// Warnings and errors were given with the checks.
TransformChainOptions BuildChain(const PropertySet& properties) {
  const Masking masking(properties);
  Findings said(properties, masking);
  TransformChainOptions chain = ReadTransforms(properties, &said);
  BindOutboxTables(properties, &chain);
  return chain;
}

RecordErrorOptions BuildRecordErrors(const PropertySet& properties,
                                     const TransformChainOptions& chain) {
  RecordErrorOptions errors;
  errors.tolerate = properties.Text("errors.tolerance") == "all";
  if (errors.tolerate)
    errors.dead_letter_topic = properties.Text("errors.deadletterqueue.topic.name");
  errors.context_headers = properties.Boolean("errors.deadletterqueue.context.headers.enable");
  errors.log = properties.Boolean("errors.log.enable");
  errors.log_records = properties.Boolean("errors.log.include.messages");
  errors.value_converter = properties.Text("value.converter");
  errors.header_converter = properties.Text("header.converter");
  for (const TransformSpec& transform : chain.transforms) {
    const Property* type = properties.Find(absl::StrCat("transforms.", transform.alias, ".type"));
    if (type != nullptr) errors.transforms[transform.alias] = type->value;
  }
  return errors;
}

RuntimeOptions BuildRuntime(const PropertySet& properties) {
  RuntimeOptions runtime;
  runtime.errors_max_retries = static_cast<int>(properties.Integer("errors.max.retries"));
  runtime.retry_wait = properties.Milliseconds("retriable.restart.connector.wait.ms");
  runtime.shutdown_timeout = properties.Milliseconds("walduct.shutdown.timeout.ms");
  runtime.catalog_delay = properties.Milliseconds("walduct.catalog.delay.ms");
  return runtime;
}

OutboxCleanup ParseOutboxCleanup(absl::string_view mode) {
  if (mode == "delete") return OutboxCleanup::kDelete;
  if (mode == "drop_partitions") return OutboxCleanup::kDropPartitions;
  CHECK(mode == "none");
  return OutboxCleanup::kNone;
}

OutboxOptions BuildOutbox(const PropertySet& properties) {
  OutboxOptions outbox;
  outbox.tables = properties.Regexes("walduct.outbox.tables");
  outbox.cleanup = ParseOutboxCleanup(properties.Text("walduct.outbox.cleanup"));
  outbox.retention = properties.Milliseconds("walduct.outbox.retention.ms");
  outbox.time_column = properties.Text("walduct.outbox.cleanup.time.column");
  outbox.interval = properties.Milliseconds("walduct.outbox.cleanup.interval.ms");
  outbox.batch_rows = properties.Integer("walduct.outbox.cleanup.batch.size");
  outbox.delete_history = properties.Text("walduct.outbox.cleanup.history") == "delete";
  return outbox;
}

std::string BuildName(const PropertySet& properties, const std::string& default_name,
                      Findings* findings) {
  if (properties.IsSet("name"))
    return std::string(absl::StripAsciiWhitespace(properties.Text("name")));
  findings->Warn("name",
                 absl::StrCat("not set: '", default_name,
                              "', the file's name, is used; the stored position depends on it"));
  return default_name;
}

void WarnOfDefaultBroker(const PropertySet& properties, const ConnectorOptions& options,
                         Findings* findings) {
  const bool needs_kafka =
      options.sink.kind == SinkKind::kKafka || options.offset.kind == OffsetStoreKind::kKafkaTopic;
  const bool given = properties.IsSet("bootstrap.servers") ||
                     properties.IsSet("producer.bootstrap.servers") ||
                     properties.IsSet("producer.override.bootstrap.servers");
  if (!needs_kafka || given) return;
  findings->Warn("bootstrap.servers", absl::StrCat("not set: '", options.kafka.bootstrap_servers,
                                                   "' is used, as Kafka Connect does"));
}

}  // namespace

// The converter that the property `name` says, `converter` being the one it belongs to.
ConverterOptions ConverterOf(const PropertySet& properties, const std::string& name,
                             const Property* converter, Findings* findings) {
  // Connect takes a converter and its options from one place: options beside another place's class do not count.
  const auto text = [&](absl::string_view option) {
    const std::string option_name = absl::StrCat(name, ".", option);
    const Property* given = properties.Find(option_name);
    const bool counts = given == nullptr || converter == nullptr ||
                        given->layer == Layer::kOverride || converter->layer == Layer::kOverride ||
                        converter->layer == given->layer;
    if (counts) return properties.Text(option_name);
    findings->Warn(option_name,
                   absl::StrCat("has no effect, as in Kafka Connect: the converter is set in the ",
                                converter->layer == Layer::kWorker ? "worker" : "connector",
                                " file; set both in the same file"));
    return std::string(*FindDefinition(option_name)->default_value);
  };
  const std::optional<ConverterKind> kind = FindConverter(properties.Text(name));
  CHECK(kind.has_value());
  ConverterOptions options;
  options.kind = *kind;
  options.schemas_enable = text("schemas.enable") == "true";
  options.decimal_numeric = text("decimal.format") == "numeric";
  options.replace_null_with_default = text("replace.null.with.default") == "true";
  return options;
}

ConverterOptions BuildConverter(const PropertySet& properties, absl::string_view role,
                                Findings* findings) {
  const std::string name = absl::StrCat(role, ".converter");
  const std::string delegate = absl::StrCat(name, ".delegate.converter.type");
  const Property* converter = properties.Find(name);
  const bool binary = IsBinaryDataConverter(properties.Text(name));
  const bool delegates = binary && properties.IsSet(delegate);
  ConverterOptions options =
      ConverterOf(properties, delegates ? delegate : name, converter, findings);
  options.raw_bytes = binary;
  return options;
}

ConnectorOptions BuildOptions(const PropertySet& properties, const std::string& default_name,
                              Findings* findings) {
  ConnectorOptions options;
  options.name = BuildName(properties, default_name, findings);
  options.database = BuildDatabase(properties);
  options.replication = BuildReplication(properties, findings);
  options.tables = BuildTables(properties);
  options.snapshot = BuildSnapshot(properties);
  options.encode = BuildEncode(properties, findings);
  options.transform = BuildTransform(properties);
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

}  // namespace walduct::config
