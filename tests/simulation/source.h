// Source: the simulated database as a start and a session meet it. Looking at it, opening it and
// asking its catalog may fail; the slot is made once and kept. There is no snapshot.
#pragma once

#include <memory>

#include "engine/world/source.h"
#include "tests/simulation/catalog.h"
#include "tests/simulation/stream.h"

namespace walduct::simulation {

class Source final : public engine::Source {
 public:
  explicit Source(World* world) : world_(*world), catalog_(world) {}

  absl::StatusOr<engine::SourceFacts> Inspect() override {
    if (world_.Crash("Inspect")) return Dead();
    if (world_.Happens(world_.faults.refuses)) return absl::UnavailableError("no connection");
    engine::SourceFacts facts;
    facts.system = {.system_identifier = "7000",
                    .timeline = 1,
                    .wal_end = Lsn(world_.database.transactions().back().end_lsn)};
    for (size_t table = 0; table < kTables; ++table) {
      facts.captured.push_back({.relation = Oid{Database::Relation(table).oid},
                                .schema = "public",
                                .table = Database::TableName(table)});
    }
    if (world_.slot_exists) {
      facts.slot.emplace();
      facts.slot->restart_lsn = Lsn(Database::kSlotCreated);
      facts.slot->confirmed_flush_lsn = Lsn(world_.database.confirmed_flush);
    }
    return facts;
  }
  absl::Status CheckSlot() override { return absl::OkStatus(); }
  absl::Status PreviewTransforms() override { return absl::OkStatus(); }
  absl::Status CheckPlan(const engine::SourcePlan&) override { return absl::OkStatus(); }
  absl::Status PreparePublication(const engine::SourcePlan&) override { return absl::OkStatus(); }
  absl::StatusOr<Lsn> CreateSlot(const engine::SourcePlan&, const postgres::StopCheck&) override {
    if (world_.Crash("CreateSlot")) return Dead();
    world_.slot_exists = true;
    return Lsn(Database::kSlotCreated);
  }
  absl::StatusOr<std::unique_ptr<engine::TableSnapshot>> OpenSnapshot(Lsn) override {
    return absl::UnimplementedError("no snapshot was wanted");
  }
  absl::StatusOr<Lsn> CurrentLsn() override {
    return Lsn(world_.database.transactions().back().end_lsn);
  }
  absl::StatusOr<engine::OpenedStream> OpenStream(const event::Position& start) override {
    if (world_.Crash("OpenStream")) return Dead();
    if (world_.Happens(world_.faults.refuses)) return absl::UnavailableError("no stream");
    return engine::OpenedStream{.stream = std::make_unique<Stream>(&world_, start.commit_end),
                                .status_interval = absl::Seconds(10)};
  }
  event::SchemaResolver& schemas() override { return catalog_; }
  absl::Status DropSlot() override { return absl::OkStatus(); }

 private:
  World& world_;
  Catalog catalog_;
};

}  // namespace walduct::simulation
