// The typed, validated configuration of one connector. Built once by LoadConnector from the
// definition table; immutable afterwards. Each room takes only its own struct.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "config/options/message_keys.h"
#include "config/options/transform_spec.h"
#include "java/regex/regex.h"
#include "java/regex/regex_list.h"

namespace walduct::config {

struct DatabaseOptions {
  std::string hostname;
  uint16_t port = 5432;
  std::string user;
  std::string password;  // secret: never logged
  std::string dbname;
  std::string sslmode = "prefer";  // libpq's words
  std::string sslcert, sslkey, sslpassword, sslrootcert;
  bool tcp_keepalive = true;
  absl::Duration query_timeout = absl::Minutes(10);  // zero: none
  absl::Duration connect_timeout = absl::Seconds(30);
  // on every SQL session, never on the replication one
  std::vector<std::string> initial_statements;
};

enum class PublicationAutocreate { kAllTables, kDisabled, kFiltered, kNoTables };
// One entry of replica.identity.autoset.values.
struct ReplicaIdentityRule {
  java::RegexList tables;  // "schema.table"
  std::string identity;    // as ALTER TABLE takes it: FULL, DEFAULT, NOTHING, or INDEX
  std::string index;       // INDEX only
};

enum class OffsetMismatch { kNoValidation, kTrustOffset, kTrustSlot, kTrustGreaterLsn };

struct ReplicationOptions {
  std::string slot_name = "debezium";
  bool drop_slot_on_stop = false;
  bool failover_slot = false;
  bool temporary_slot = false;  // `tail` only
  std::vector<std::pair<std::string, std::string>> stream_params;
  int max_retries = 6;
  absl::Duration retry_delay = absl::Seconds(10);
  std::string publication_name = "dbz_publication";
  PublicationAutocreate publication_autocreate = PublicationAutocreate::kAllTables;
  bool publish_via_partition_root = false;
  absl::Duration status_interval = absl::Seconds(10);
  absl::Duration create_slot_timeout = absl::Seconds(90);
  OffsetMismatch offset_mismatch = OffsetMismatch::kNoValidation;
  std::vector<ReplicaIdentityRule> replica_identities;
  // `publish` of an autocreated publication; absent: server default. Set only when
  // skipped.operations was given explicitly.
  std::optional<std::string> publish_operations;
};

// Which tables are captured: schema.include/exclude.list, table.include/exclude.list,
// table.ignore.builtin.
struct TableFilterOptions {
  std::optional<java::RegexList> schema_include, schema_exclude, table_include, table_exclude;
  bool ignore_builtin = true;
};

enum class SnapshotMode { kInitial, kNever, kNoData, kInitialOnly, kAlways, kWhenNeeded };

struct SnapshotOptions {
  SnapshotMode mode = SnapshotMode::kInitial;
  std::optional<java::RegexList> include_collections;
  std::map<std::string, std::string> select_overrides;  // "schema.table" → SELECT
  bool lock_tables = false;                             // snapshot.locking.mode=shared
  absl::Duration lock_timeout = absl::Seconds(10);
  absl::Duration delay, streaming_delay;
};

enum class ConverterKind { kJson, kString, kByteArray };

struct ConverterOptions {
  ConverterKind kind = ConverterKind::kJson;
  bool schemas_enable = true;
  bool decimal_numeric = false;  // decimal.format=NUMERIC
  bool replace_null_with_default = true;
  bool raw_bytes = false;  // BinaryDataConverter: bytes as they are, the rest as said above
};

enum class DecimalMode { kPrecise, kDouble, kString };
enum class TimeMode {
  kAdaptive,
  kAdaptiveTimeMicroseconds,
  kConnect,
  kIsoString,
  kMicroseconds,
  kNanoseconds
};
enum class BinaryMode { kBytes, kBase64, kBase64UrlSafe, kHex };

// How values of PostgreSQL types are written.
// event.converting.failure.handling.mode.
enum class FailureMode {
  // not set: null for what no schema can express, a stop for what only walduct cannot read
  kDefault,
  kNull,  // warn or skip: null where that is possible
  kStop,  // fail
};

struct ValueOptions {
  DecimalMode decimal = DecimalMode::kPrecise;
  TimeMode time = TimeMode::kAdaptive;
  BinaryMode binary = BinaryMode::kBytes;
  bool hstore_map = false;       // hstore.handling.mode=map
  bool interval_string = false;  // interval.handling.mode=string
  int32_t money_fraction_digits = 2;
  bool include_unknown = false;  // include.unknown.datatypes
  bool keep_lost = false;        // walduct.lost.values=keep
  FailureMode on_failure = FailureMode::kDefault;
};

enum class ColumnMaskKind { kTruncate, kStars, kHash, kHashV2 };

// One property column.truncate.to.*, column.mask.with.* or column.mask.hash.*: what becomes of the
// values of its columns.
struct ColumnMask {
  ColumnMaskKind kind = ColumnMaskKind::kStars;
  uint32_t length = 0;          // kTruncate, kStars: characters
  std::string algorithm, salt;  // kHash, kHashV2; the algorithm under its first name ("SHA-1")
  java::RegexList columns;      // over schema.table.column
};

// Columns of the value; a key keeps its columns as they are.
struct ColumnOptions {
  std::optional<java::RegexList> include, exclude;  // over schema.table.column
  // by kind, then as configured: the order in which Debezium asks them
  std::vector<ColumnMask> masks;
  std::optional<java::RegexList> propagate_columns;  // over schema.table.column
  std::optional<java::RegexList> propagate_types;    // over schema.table.type
};

enum class NameAdjustment { kNone, kAvro, kAvroUnicode };

struct EncodeOptions {
  ConverterOptions key, value;
  std::optional<ConverterOptions> header;  // absent: SimpleHeaderConverter
  ValueOptions values;
  ColumnOptions columns;
  NameAdjustment schema_names = NameAdjustment::kNone;
  NameAdjustment field_names = NameAdjustment::kNone;
  std::string topic_prefix;
  std::string database;          // source.db
  bool extended_headers = true;  // __debezium.context.*
  std::string unavailable_placeholder = "__debezium_unavailable_value";
};

// A regular expression that must match a whole topic name, and what its first match becomes.
struct TopicRewrite {
  std::shared_ptr<const java::Regex> regex;
  std::string replacement;  // checked against the regex
};

// topic.naming.strategy and its options.
struct TopicNamingOptions {
  bool with_schema = true;              // Schema…NamingStrategy; else prefix and table alone
  bool unicode = false;                 // …UnicodeTopicNamingStrategy: _uXXXX instead of _
  std::optional<TopicRewrite> rewrite;  // …RegexTopicNamingStrategy
  std::string key_field;                // field of the key that names the table; empty: none
  std::optional<TopicRewrite> key_field_rewrite;
};

struct TransformOptions {
  std::string topic_prefix;
  std::string topic_delimiter = ".";
  TopicNamingOptions naming;
  std::optional<MessageKeys> message_keys;
  bool skip_unchanged = false;                     // skip.messages.without.change
  bool transaction_metadata = false;               // provide.transaction.metadata
  std::string transaction_suffix = "transaction";  // topic.transaction
  std::string heartbeat_prefix = "__debezium-heartbeat";
  std::string heartbeat_topic;  // topic.heartbeat.name; empty: prefix, delimiter, topic.prefix
  std::optional<java::RegexList> message_include, message_exclude;
  bool tombstones_on_delete = true;
  bool skip_create = false, skip_update = false, skip_delete = false, skip_truncate = true;
};

enum class SinkKind {
  kKafka,
  kStdout,
  kFile,
  kTerminal
};  // kTerminal: `walduct tail`, pretty-printed

struct TopicCreationGroup {
  std::string name;
  std::optional<java::RegexList> include, exclude;
  int replication_factor = -1;  // -1: broker default
  int partitions = -1;
  std::map<std::string, std::string> configs;
};

struct KafkaOptions {
  std::string bootstrap_servers;
  // Java producer properties after merging worker producer.* and connector producer.override.*;
  // secrets inside.
  std::map<std::string, std::string> producer;
  // Client properties (security.*, sasl.*, ssl.*) for consumers and admin calls: worker level and
  // consumer.* / admin.*.
  std::map<std::string, std::string> consumer;
  std::map<std::string, std::string> admin;
};

struct SinkOptions {
  SinkKind kind = SinkKind::kKafka;
  std::string file_path;            // sink.file.path
  size_t buffer_bytes = 16u << 20;  // buffer.memory: bytes in flight at most
  // groups in order, "default" last; empty: leave it to the broker
  std::vector<TopicCreationGroup> topic_creation;
  // Created with one partition where it is missing, whatever topic_creation says; empty: none.
  std::string dead_letter_topic;
  int dead_letter_replication_factor = 3;  // -1: broker default
};

// errors.*: what becomes of a record that cannot be published.
struct RecordErrorOptions {
  bool tolerate = false;          // errors.tolerance=all
  std::string dead_letter_topic;  // empty: such records are logged
  bool context_headers = false;   // errors.deadletterqueue.context.headers.enable
  bool log = false;               // dead letters, too
  bool log_records = false;       // with key and value
  // Java classes as configured, for the context headers.
  std::string value_converter, header_converter;
  std::map<std::string, std::string> transforms;  // by name in the chain
};

enum class OffsetStoreKind { kKafkaTopic, kFile, kMemory };

struct OffsetOptions {
  OffsetStoreKind kind = OffsetStoreKind::kKafkaTopic;
  std::string file_path;                  // offset.storage.file.filename
  std::string topic = "walduct-offsets";  // offset.storage.topic / offsets.storage.topic
  int topic_partitions = 25;              // when we create it
  int topic_replication_factor = -1;
  absl::Duration flush_interval = absl::Seconds(10);
  absl::Duration flush_timeout = absl::Seconds(5);
};

struct HeartbeatOptions {
  absl::Duration interval;   // zero: none
  std::string action_query;  // empty: none
};

struct RuntimeOptions {
  int errors_max_retries = -1;  // -1: for ever
  // retriable.restart.connector.wait.ms: cap of the backoff
  absl::Duration retry_wait = absl::Seconds(10);
  absl::Duration shutdown_timeout = absl::Seconds(8);
  absl::Duration catalog_delay = absl::Milliseconds(500);  // see engine/settled_catalog.h
};

enum class OutboxCleanup { kNone, kDelete, kDropPartitions };

// walduct.outbox.*
struct OutboxOptions {
  std::optional<java::RegexList> tables;  // set whenever cleanup is not kNone
  OutboxCleanup cleanup = OutboxCleanup::kNone;
  absl::Duration retention = absl::Hours(7 * 24);  // zero: until acknowledged
  std::string time_column;                         // empty: recognised by its name
  absl::Duration interval = absl::Minutes(1);
  int64_t batch_rows = 1000;
  bool delete_history = false;  // walduct.outbox.cleanup.history=delete
};

struct ConnectorOptions {
  std::string name;  // namespace of the offsets
  DatabaseOptions database;
  ReplicationOptions replication;
  TableFilterOptions tables;
  SnapshotOptions snapshot;
  EncodeOptions encode;
  TransformOptions transform;
  TransformChainOptions chain;
  KafkaOptions kafka;
  SinkOptions sink;
  OffsetOptions offset;
  HeartbeatOptions heartbeat;
  RecordErrorOptions record_errors;
  RuntimeOptions runtime;
  OutboxOptions outbox;
};

}  // namespace walduct::config
