#include "engine/world/server_world.h"

#include <random>
#include <utility>

#include "base/status_macros.h"
#include "engine/configuration/connector_options.h"
#include "engine/world/postgres_source.h"
#include "engine/world/slots/postgres_handover.h"
#include "kafka/options.h"
#include "offset/offset_store_factory.h"
#include "offset/options.h"
#include "registry/options.h"
#include "registry/registry_client.h"
#include "replication/options.h"
#include "sink/options.h"
#include "sink/sink_factory.h"
#include "spill/options.h"
#include "spill/unnamed_files.h"

namespace walduct::engine {

uint64_t ServerWorld::Random() {
  std::random_device random;
  return (uint64_t{random()} << 32) | random();
}

absl::StatusOr<std::unique_ptr<sink::Sink>> ServerWorld::OpenSink(const ConnectorOptions& config,
                                                                  sink::Refusals* refusals) {
  return sink::CreateSink(*config.sink, *config.kafka, environment_, refusals);
}

absl::StatusOr<std::unique_ptr<offset::OffsetStore>> ServerWorld::OpenOffsetStore(
    const ConnectorOptions& config) {
  return offset::CreateOffsetStore(*config.offset, *config.kafka, OffsetIdentityOf(config),
                                   environment_);
}

absl::StatusOr<std::unique_ptr<spill::Disk>> ServerWorld::OpenSpill(
    const ConnectorOptions& config) {
  return std::make_unique<spill::UnnamedFiles>(config.spill->directory);
}

absl::StatusOr<Registries> ServerWorld::OpenRegistries(const ConnectorOptions& config) {
  const registry::RegistriesOptions& options = *config.registries;
  Registries registries;
  if (!options.key.urls.empty()) {
    ASSIGN_OR_RETURN(registries.key, registry::RegistryClient::Create(options.key, config.name,
                                                                      *environment_.clock));
  }
  if (options.value.urls.empty()) return registries;
  if (registry::SameRegistry(options.key, options.value)) {
    registries.value = registries.key;
    return registries;
  }
  ASSIGN_OR_RETURN(registries.value, registry::RegistryClient::Create(options.value, config.name,
                                                                      *environment_.clock));
  return registries;
}

absl::StatusOr<std::unique_ptr<HandoverServer>> ServerWorld::OpenHandover(
    const ConnectorOptions& config, const postgres::StopCheck& stopping) {
  return std::make_unique<PostgresHandover>(
      PostgresHandover::Options{.connector = config.name,
                                .first_slot = config.replication->slot_name,
                                .database = *config.database,
                                .tables = *config.tables,
                                .stopping = stopping,
                                .environment = environment_});
}

std::unique_ptr<Source> ServerWorld::MakeSource(const SourceOptions& options) {
  return std::make_unique<PostgresSource>(options, environment_);
}

}  // namespace walduct::engine
