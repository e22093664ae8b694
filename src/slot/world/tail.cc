#include "slot/world/tail.h"

#include <unistd.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "encode/options/encode_options.h"
#include "engine/configuration/connector_options.h"
#include "engine/configuration/heartbeat_options.h"
#include "engine/configuration/options_of.h"
#include "incremental/options/incremental_options.h"
#include "offset/options.h"
#include "outbox/options.h"
#include "postgres/connection_options.h"
#include "postgres/oid_text.h"
#include "postgres/options.h"
#include "registry/options.h"
#include "replication/options.h"
#include "replication/publication/publication.h"
#include "sink/line/line_sink_type.h"
#include "sink/options.h"
#include "slot/lanes/lanes.h"
#include "slot/world/reads/read_parts.h"
#include "slot/world/reads/record_columns.h"
#include "snapshot/mode.h"
#include "snapshot/options.h"

namespace walduct::slot {
namespace {

constexpr absl::string_view kFindPublication =
    "SELECT 1 FROM pg_catalog.pg_publication WHERE pubname = $1";

// Appended to the name of the publication of inserts.
constexpr char kUpdates[] = "_u";
// Held by the session of a `tail` that lives.
constexpr absl::string_view kTakeLock =
    "SELECT pg_catalog.pg_advisory_lock(pg_catalog.hashtextextended($1, 0))";
constexpr absl::string_view kLeftovers = R"(
SELECT p.pubname, CASE WHEN p.pubname ~ '^walduct_tail_[0-9]+_[0-9]+$' THEN
  pg_catalog.pg_try_advisory_lock(pg_catalog.hashtextextended(p.pubname::pg_catalog.text, 0)) END
FROM pg_catalog.pg_publication p)";
constexpr absl::string_view kReleaseLock =
    "SELECT pg_catalog.pg_advisory_unlock(pg_catalog.hashtextextended($1, 0))";

// Tables whose UPDATE and DELETE the server takes when they are published. The identity of a
// partitioned table is that of its partitions: a primary key, which those that come later have,
// too, and none of them that has none.
constexpr absl::string_view kWithIdentity = R"(
WITH RECURSIVE below(top, oid) AS (
  SELECT w.oid, w.oid FROM pg_catalog.unnest($1::pg_catalog.oid[]) w(oid)
  UNION ALL SELECT b.top, i.inhrelid
  FROM below b JOIN pg_catalog.pg_class c ON c.oid = b.oid AND c.relkind = 'p'
  JOIN pg_catalog.pg_inherits i ON i.inhparent = b.oid
)
SELECT b.top
FROM below b JOIN pg_catalog.pg_class c ON c.oid = b.oid
GROUP BY b.top
HAVING pg_catalog.bool_and(
  (c.relkind = 'r' AND c.relreplident = 'f')
  OR ((c.relkind = 'p' OR c.relreplident = 'd') AND EXISTS (
        SELECT 1 FROM pg_catalog.pg_index i
        WHERE i.indrelid = c.oid AND i.indisprimary AND i.indimmediate))
  OR (c.relkind = 'r' AND c.relreplident = 'i' AND EXISTS (
        SELECT 1 FROM pg_catalog.pg_index i WHERE i.indrelid = c.oid AND i.indisreplident))))";

std::string UniqueName() {
  return absl::StrCat("walduct_tail_", getpid(), "_", std::random_device{}() % 1000000);
}

// PL/pgSQL.
std::string DropSql(const std::string& name) {
  return absl::StrCat("DROP PUBLICATION IF EXISTS ", postgres::QuoteIdentifier(name), ", ",
                      postgres::QuoteIdentifier(name + kUpdates), ";");
}

// Of a `tail` that was killed together with its server. What belongs to another role stays.
void DropLeftovers(postgres::Connection& connection) {
  if (connection.server_version() < 110000) return;
  const auto found = connection.Query(postgres::Rows(2), kLeftovers);
  for (int row = 0; found.ok() && row < found->rows(); ++row) {
    if (found->Get(row, 1) != "t") continue;
    const std::string name(found->Get(row, 0));
    const auto dropped =
        connection.Run(absl::StrCat("DO $drop$ BEGIN ", DropSql(name), " END $drop$"));
    if (dropped.ok()) log::Info("publication of an earlier tail dropped", {{"publication", name}});
    connection.Run({.sql = std::string(kReleaseLock), .parameters = {name}, .answer = {}})
        .IgnoreError();
  }
}

absl::StatusOr<std::vector<postgres::TableName>> WithIdentity(
    postgres::Connection& connection, const std::vector<postgres::TableName>& captured) {
  const std::vector<Oid> oids = postgres::RelationsOf(captured);
  ASSIGN_OR_RETURN(const postgres::Result result,
                   connection.Query(postgres::Rows(1), kWithIdentity, {postgres::OidArray(oids)}));
  std::set<Oid> identified;
  for (int row = 0; row < result.rows(); ++row)
    identified.insert(postgres::ParseOid(result.Get(row, 0)));
  std::vector<postgres::TableName> tables;
  for (const postgres::TableName& table : captured) {
    if (identified.contains(table.relation)) tables.push_back(table);
  }
  return tables;
}

}  // namespace

namespace {

// A terminal cannot show a binary format, and looking at records must not register schemas. For
// eyes each record has its schema with it, by which its values are known.
void ShowAsJson(engine::ConnectorOptions* config, bool eyes) {
  for (encode::ConverterOptions* converter : {&config->encode->key, &config->encode->value}) {
    converter->schema_id = converter->json_schema = false;
    if (eyes && converter->kind == encode::ConverterKind::kJson &&
        converter->cloud_events == nullptr)
      converter->schemas_enable = true;
    if (converter->kind != encode::ConverterKind::kAvro &&
        converter->kind != encode::ConverterKind::kProtobuf)
      continue;
    converter->cloud_events = nullptr;
    converter->kind = encode::ConverterKind::kJson;
    converter->schemas_enable = eyes;
  }
  *config->registries = {};
}

// One look at all tables, through the publications of all slots.
void LookThroughAllSlots(engine::ConnectorOptions* config) {
  replication::SlotShare all;
  for (const engine::ConnectorOptions& lane : LanesOf(*config))
    all.publications.push_back(lane.replication->publication_name);
  config->replication->share = std::move(all);
}

}  // namespace

engine::ConnectorOptions TailConfig(engine::ConnectorOptions config, const TailView& view) {
  config.sink->target = std::make_shared<sink::StdoutDestination>(sink::StdoutSinkOptions{
      .pretty = true, .full = view.full, .eyes = view.eyes, .reader_left = view.reader_left});
  config.offset->kind = offset::OffsetStoreKind::kMemory;
  config.replication->temporary_slot = true;
  config.replication->failover_slot = false;
  config.replication->drop_slot_on_stop = false;
  config.replication->slot_name = UniqueName();
  LookThroughAllSlots(&config);
  *config.heartbeat = {};  // nor does it write to the database
  config.incremental->notifies_sink = config.incremental->notifies_log = false;
  config.replication->replica_identities.clear();
  config.outbox->cleanup = outbox::OutboxCleanup::kNone;
  ShowAsJson(&config, view.eyes);
  if (!view.snapshot) config.snapshot->mode = snapshot::SnapshotMode::kNoData;
  return config;
}

engine::ConnectorOptions DemoConfig(engine::ConnectorOptions config) {
  config.replication->temporary_slot = true;
  config.replication->failover_slot = false;
  config.replication->drop_slot_on_stop = false;
  config.offset->kind = offset::OffsetStoreKind::kMemory;
  return config;
}

engine::ConnectorOptions RecordConfig(engine::ConnectorOptions config) {
  engine::ConnectorOptions looks = TailConfig(std::move(config), {});
  looks.replication->xmin_interval = absl::ZeroDuration();
  looks.replication->stream_in_progress = false;
  return looks;
}

absl::Status CheckHasGap(const engine::ConnectorOptions& config) {
  const replication::ReplicationOptions& slot = *config.replication;
  if (slot.share.count > 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "walduct.slots=", slot.share.count,
        ": the gap of a connector with several slots cannot be read; read the tables anew"));
  }
  if (slot.temporary_slot || slot.drop_slot_on_stop)
    return absl::InvalidArgumentError("slot.drop.on.stop=true: such a slot has no gap");
  if (!snapshot::Streams(config.snapshot->mode))
    return absl::InvalidArgumentError("snapshot.mode: the connector does not stream");
  if (config.offset->kind == offset::OffsetStoreKind::kMemory)
    return absl::InvalidArgumentError("offset.storage: the connector stores no position");
  return absl::OkStatus();
}

absl::Status CheckReadsBack(const engine::ConnectorOptions& config) {
  const sink::SinkType& type = config.sink->target->type();
  if (type.traits.kafka) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("sink=", type.name, ": only what Kafka holds can be compared with the tables"));
}

engine::ConnectorOptions HoldConfig(engine::ConnectorOptions config) {
  config.replication->holds_lost_slot = true;
  config.replication->offset_mismatch = replication::OffsetMismatch::kNoValidation;
  config.snapshot->mode = snapshot::SnapshotMode::kNoData;
  return config;
}

engine::ConnectorOptions RestoredConfig(engine::ConnectorOptions config,
                                        const RestoredPlace& place) {
  // Replay waits at each cut until the position is confirmed.
  constexpr absl::Duration kStoreEach = absl::Milliseconds(200);
  config = HoldConfig(std::move(config));
  config.database->hostname = place.host;
  config.database->port = place.port;
  config.database->target_session_attrs = "any";
  if (!place.sslmode.empty()) config.database->sslmode = place.sslmode;
  replication::ReplicationOptions& slot = *config.replication;
  slot.restored_server = true;
  slot.holds_lost_slot = false;
  slot.failover_slot = false;
  slot.publication_autocreate = replication::PublicationAutocreate::kDisabled;
  slot.publication_follow = false;
  slot.replica_identities.clear();
  slot.status_interval = std::min(slot.status_interval, absl::Seconds(1));
  config.heartbeat->action_query.clear();
  config.outbox->cleanup = outbox::OutboxCleanup::kNone;
  incremental::IncrementalOptions& signals = *config.incremental;
  signals.rests = true;
  // What is sent there waits for `run`.
  signals.file_channel = signals.kafka_channel = signals.reads_new_tables = false;
  config.offset->flush_interval = std::min(config.offset->flush_interval, kStoreEach);
  return config;
}

engine::ConnectorOptions ReadConfig(engine::ConnectorOptions config) {
  config = HoldConfig(std::move(config));
  config.replication->stream_in_progress = false;
  config.snapshot->select_overrides.clear();  // a row that is not read would pass for a deleted one
  config.snapshot->include_collections.reset();
  config.snapshot->standby_hostname.clear();
  config.snapshot->resume = false;
  config.heartbeat->action_query.clear();
  config.outbox->cleanup = outbox::OutboxCleanup::kNone;
  incremental::IncrementalOptions& signals = *config.incremental;
  signals.rests = true;
  signals.file_channel = signals.kafka_channel = signals.reads_new_tables = false;
  return config;
}

ReadParts PartsOfRead(const engine::ConnectorOptions& connector) {
  const auto config = std::make_shared<const engine::ConnectorOptions>(ReadConfig(connector));
  // Ends with its session, once the view that it exports is taken up.
  const auto view = std::make_shared<engine::ConnectorOptions>(*config);
  view->replication->slot_name = absl::StrCat("walduct_read_", getpid());
  view->replication->temporary_slot = true;
  return {.config = config,
          .view = view,
          .name = config->name,
          .publication = config->replication->publication_name,
          .placeholder = config->encode->unavailable_placeholder,
          .database = config->database.get(),
          .view_slot = view->replication.get(),
          .tables = config->tables.get(),
          .snapshot = config->snapshot.get(),
          .route = config->route.get(),
          .chain = config->chain.get(),
          .encode = config->encode.get(),
          .wanted = RecordColumns(engine::ColumnsOf(*config), engine::MessageKeysOf(*config)),
          .message_keys = engine::MessageKeysOf(*config).has_value()};
}

absl::StatusOr<std::unique_ptr<TailPublication>> TailPublication::Ensure(
    postgres::Connection& connection, const postgres::ConnectionOptions& guard,
    const replication::ReplicationOptions& options,
    const std::vector<postgres::TableName>& captured) {
  std::unique_ptr<TailPublication> made(new TailPublication(connection));
  ASSIGN_OR_RETURN(
      const postgres::Result found,
      connection.Query(postgres::Rows(0), kFindPublication, {options.publication_name}));
  if (found.rows() > 0) {
    made->names_ = options.share.publications;
    return made;
  }
  RETURN_IF_ERROR(made->Create(guard, options, captured));
  return made;
}

absl::Status TailPublication::Create(const postgres::ConnectionOptions& guard,
                                     const replication::ReplicationOptions& options,
                                     const std::vector<postgres::TableName>& captured) {
  using replication::PublicationAutocreate;
  // Says what to type.
  if (options.publication_autocreate == PublicationAutocreate::kDisabled)
    return replication::EnsurePublication(connection_, options, captured).status();
  RETURN_IF_ERROR(OpenOwner(guard));
  postgres::Connection& owner = owner_ == nullptr ? connection_ : *owner_;
  DropLeftovers(owner);
  replication::ReplicationOptions own = options;
  const std::string inserts = UniqueName();
  const std::string updates = inserts + kUpdates;
  const std::string drop = DropSql(inserts);
  if (connection_.server_version() >= 110000)
    RETURN_IF_ERROR(
        owner.Run({.sql = std::string(kTakeLock), .parameters = {inserts}, .answer = {}}));
  RETURN_IF_ERROR(
      StartGuard(guard, absl::StrCat("LOOP COMMIT; PERFORM pg_catalog.pg_sleep(0.5); EXIT "
                                     "WHEN pg_catalog.pg_try_advisory_lock("
                                     "pg_catalog.hashtextextended(",
                                     postgres::QuoteLiteral(inserts), ", 0)); END LOOP; ", drop)));
  created_ = true;
  names_ = {inserts};
  own.publication_name = inserts;
  own.publish_operations = "insert, truncate";
  if (own.publication_autocreate == PublicationAutocreate::kNoTables)
    own.publication_autocreate = PublicationAutocreate::kFiltered;
  absl::Status status = replication::EnsurePublication(connection_, own, captured).status();
  // FOR ALL TABLES takes a superuser.
  if (absl::IsPermissionDenied(status)) {
    own.publication_autocreate = PublicationAutocreate::kFiltered;
    status = replication::EnsurePublication(connection_, own, captured).status();
  }
  RETURN_IF_ERROR(status);
  ASSIGN_OR_RETURN(const std::vector<postgres::TableName> identified,
                   WithIdentity(connection_, captured));
  if (identified.empty()) return absl::OkStatus();
  names_.push_back(updates);
  own.publication_name = updates;
  own.publish_operations = "update, delete";
  own.publication_autocreate = PublicationAutocreate::kFiltered;
  return replication::EnsurePublication(connection_, own, identified).status();
}

// The locks need a session that a pooler shares with nobody.
absl::Status TailPublication::OpenOwner(const postgres::ConnectionOptions& guard) {
  if (!connection_.shared()) return absl::OkStatus();
  postgres::ConnectionOptions own = guard;
  own.kind = postgres::SessionKind::kReplication;
  ASSIGN_OR_RETURN(owner_, postgres::Connection::Open(std::move(own)));
  return absl::OkStatus();
}

// A statement that commits as it goes holds no snapshot: nothing on the server waits for it.
absl::Status TailPublication::StartGuard(postgres::ConnectionOptions options,
                                         const std::string& body) {
  if (connection_.server_version() < 110000) return absl::OkStatus();
  if (owner_ != nullptr) options.kind = postgres::SessionKind::kReplication;
  ASSIGN_OR_RETURN(guard_, postgres::Connection::Open(std::move(options)));
  // The guard has to outlive the process that asked for it.
  if (guard_->server_version() >= 140000)
    RETURN_IF_ERROR(guard_->Set("client_connection_check_interval", "0"));
  return guard_->Send({absl::StrCat("DO $guard$ BEGIN ", body, " END $guard$"), {}, {}});
}

TailPublication::~TailPublication() {
  if (!created_) return;
  const absl::Status dropped =
      connection_.Run(absl::StrCat("DO $drop$ BEGIN ", DropSql(names_.front()), " END $drop$"));
  if (!dropped.ok()) {
    log::Warn("cannot drop the publications created for tail",
              {{"publication", names_.front()}, {"error", std::string(dropped.message())}});
  } else if (guard_ != nullptr) {
    guard_->Cancel();
  }
}

}  // namespace walduct::slot
