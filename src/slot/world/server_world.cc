#include "slot/world/server_world.h"

#include <algorithm>
#include <random>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"
#include "engine/configuration/connector_names.h"
#include "engine/configuration/connector_options.h"
#include "engine/configuration/heartbeat_options.h"
#include "engine/configuration/options_of.h"
#include "kafka/options.h"
#include "offset/offset_store_factory.h"
#include "offset/options.h"
#include "offset/topic/offset_topics.h"
#include "postgres/connection_options.h"
#include "postgres/open_session.h"
#include "registry/open_clients.h"
#include "replication/options.h"
#include "replication/session_names.h"
#include "sink/options.h"
#include "sink/refusals.h"
#include "slot/world/postgres_source.h"
#include "slot/world/reads/record_columns.h"
#include "slot/world/slots/postgres_handover.h"
#include "slot/world/watch/watch_sessions.h"
#include "snapshot/options.h"
#include "spill/options.h"
#include "spill/unnamed_files.h"

namespace walduct::slot {
namespace {

KnownSlots::Reader ReaderOf(const engine::ConnectorOptions& config) {
  engine::SlotAddress address = engine::SlotOf(config);
  return {.connector = config.name,
          .server = std::move(address.server),
          .slot = std::move(address.slot),
          .database = config.database->dbname,
          .publications = {config.replication->publication_name}};
}

}  // namespace

ServerWorld::ServerWorld(const Environment& environment)
    : environment_(environment),
      start_turns_(*environment.clock),
      watch_sessions_(std::make_shared<WatchSessions>()),
      offset_topics_(std::make_shared<offset::OffsetTopics>()) {}

uint64_t ServerWorld::Random() {
  std::random_device random;
  return (uint64_t{random()} << 32) | random();
}

absl::StatusOr<std::unique_ptr<sink::Sink>> ServerWorld::OpenSink(
    const engine::ConnectorOptions& config, sink::Refusals* refusals) {
  return config.sink->target->Open({*config.kafka, environment_, refusals});
}

absl::StatusOr<std::unique_ptr<offset::OffsetStore>> ServerWorld::OpenOffsetStore(
    const engine::ConnectorOptions& config) {
  return offset::CreateOffsetStore(*config.offset, *config.kafka, engine::OffsetIdentityOf(config),
                                   environment_, offset_topics_);
}

absl::StatusOr<std::optional<offset::StoredOffset>> ServerWorld::LoadOwnPosition(
    const engine::ConnectorOptions& config) {
  if (config.sink->target->in_transactions()) {
    sink::Refusals refusals;
    ASSIGN_OR_RETURN(const auto sink, OpenSink(config, &refusals));
    if (sink->transactions() != nullptr) RETURN_IF_ERROR(sink->transactions()->TakeOver());
  }
  ASSIGN_OR_RETURN(const auto store, OpenOffsetStore(config));
  return store->Load();
}

std::shared_ptr<KnownSlot> ServerWorld::KnownOf(const engine::ConnectorOptions& config) {
  const offset::OffsetIdentity identity = engine::OffsetIdentityOf(config);
  const offset::OffsetOptions& store = *config.offset;
  const kafka::KafkaOptions& clients = store.clients ? *store.clients : *config.kafka;
  return known_.Of(
      absl::StrJoin({identity.connector_name, identity.topic_prefix, absl::StrCat(identity.slot),
                     store.topic, store.file_path, store.redis_key, clients.bootstrap_servers},
                    "\n"),
      ReaderOf(config));
}

std::vector<std::string> ServerWorld::OtherReadersOf(const engine::ConnectorOptions& config) {
  return known_.OthersOf(ReaderOf(config));
}

absl::StatusOr<std::unique_ptr<spill::Disk>> ServerWorld::OpenSpill(
    const engine::ConnectorOptions& config) {
  return std::make_unique<spill::UnnamedFiles>(config.spill->directory);
}

absl::StatusOr<std::unique_ptr<kafka::TopicStream>> ServerWorld::OpenTopic(
    const engine::ConnectorOptions& config, const std::string& topic) const {
  constexpr absl::Duration kPatience = absl::Seconds(60);
  const kafka::KafkaOptions kafka = kafka::WithFreshSecrets(*config.kafka);
  return kafka::TopicStream::Open({.bootstrap_servers = kafka.bootstrap_servers,
                                   .java = kafka.consumer,
                                   .topic = topic,
                                   .timeout = kPatience,
                                   .until_silent = true,
                                   .environment = environment_});
}

absl::StatusOr<Registries> ServerWorld::OpenRegistries(const engine::ConnectorOptions& config) {
  Registries registries;
  ASSIGN_OR_RETURN(std::tie(registries.key, registries.value),
                   registry::OpenClients(*config.registries, config.name, *environment_.clock));
  return registries;
}

absl::StatusOr<std::unique_ptr<HandoverServer>> ServerWorld::OpenHandover(
    const engine::ConnectorOptions& config, const postgres::StopCheck& stopping) {
  return std::make_unique<PostgresHandover>(
      PostgresHandover::Options{.connector = config.name,
                                .first_slot = config.replication->slot_name,
                                .database = *config.database,
                                .tables = *config.tables,
                                .stopping = stopping,
                                .environment = environment_});
}

std::optional<SlotPlace> ServerWorld::PlaceOfSlot(const engine::ConnectorOptions& config) {
  const replication::ReplicationOptions& options = *config.replication;
  if (options.temporary_slot || options.drop_slot_on_stop ||
      !snapshot::Streams(config.snapshot->mode))
    return std::nullopt;
  return SlotPlace{.server = postgres::ServerPlaceOf(*config.database), .slot = options.slot_name};
}

absl::StatusOr<std::vector<replication::WatchedSlot>> ServerWorld::ReadWatchedSlots(
    const engine::ConnectorOptions& config, const std::vector<std::string>& slots,
    const postgres::StopCheck& stopping) {
  ASSIGN_OR_RETURN(const auto connection, SharedLook(config, stopping));
  auto looks = replication::ReadWatchedSlots(*connection, slots);
  if (!looks.ok()) CloseLooks();
  return looks;
}

absl::StatusOr<CaptureSession> ServerWorld::OpenCaptureSession(
    const engine::ConnectorOptions& config, const postgres::StopCheck& stopping) {
  CaptureSession look{
      .session = nullptr,
      .tables = config.tables.get(),
      .route = config.route.get(),
      .replication = config.replication.get(),
      .wanted = RecordColumns(engine::ColumnsOf(config), engine::MessageKeysOf(config)),
      .publications_of_others = known_.PublicationsOfOthers(config.name, config.database->dbname),
      .heartbeat_query = config.heartbeat->action_query};
  ASSIGN_OR_RETURN(look.session, SharedLook(config, stopping));
  return look;
}

void ServerWorld::CloseLooks() {
  const MutexLock lock(mutex_);
  looks_.clear();
}

absl::StatusOr<std::shared_ptr<postgres::Connection>> ServerWorld::SharedLook(
    const engine::ConnectorOptions& config, const postgres::StopCheck& stopping) {
  const std::string place = postgres::PlaceOf(*config.database);
  {
    const MutexLock lock(mutex_);
    if (const auto open = looks_.find(place); open != looks_.end()) return open->second;
  }
  ASSIGN_OR_RETURN(std::shared_ptr<postgres::Connection> session, OpenLook(config, stopping));
  const MutexLock lock(mutex_);
  looks_[place] = session;
  return session;
}

absl::StatusOr<std::unique_ptr<postgres::Connection>> ServerWorld::OpenLook(
    const engine::ConnectorOptions& config, const postgres::StopCheck& stopping) const {
  constexpr absl::Duration kTimeout = absl::Seconds(5);
  postgres::ConnectionOptions options{.database = *config.database,
                                      .application_name = "walduct slots",
                                      .stopping = stopping,
                                      .environment = environment_};
  options.database.connect_timeout = std::min(options.database.connect_timeout, kTimeout);
  options.database.query_timeout = kTimeout;
  options.database.initial_statements.clear();
  return postgres::Connection::Open(std::move(options));
}

absl::StatusOr<std::unique_ptr<postgres::Connection>> ServerWorld::OpenSession(
    const engine::ConnectorOptions& config, postgres::SessionKind kind, absl::string_view what,
    const postgres::StopCheck& stopping, absl::Duration longest) const {
  postgres::ConnectionOptions options{
      .database = *config.database,
      .kind = kind,
      .application_name = replication::SessionName(config.name, what),
      .stopping = stopping,
      .environment = environment_};
  options.database.connect_timeout = std::min(options.database.connect_timeout, longest);
  options.database.query_timeout = std::min(options.database.query_timeout, longest);
  return postgres::Connection::Open(std::move(options));
}

std::unique_ptr<Source> ServerWorld::MakeSource(const SourceOptions& options) {
  SourceOptions known = options;
  known.watch_sessions = watch_sessions_;
  known.slot_readers.own = replication::StreamSession(options.config->name);
  known.slot_readers.of_others = [this, config = options.config] {
    const std::string server = engine::SlotOf(*config).server;
    std::set<std::string> slots = known_.SlotsOfOthers(config->name, server);
    if (slots_of_others_) slots.merge(slots_of_others_(engine::CalledOf(*config).name, server));
    return slots;
  };
  known.publications_of_others =
      known_.PublicationsOfOthers(options.config->name, options.config->database->dbname);
  return std::make_unique<PostgresSource>(known, environment_);
}

}  // namespace walduct::slot
