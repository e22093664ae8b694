// Source: the simulated database as a start and a session meet it. Looking at it, opening it and
// asking its catalog may fail; one session streams from the slot, others are refused.
#pragma once

#include <memory>
#include <optional>

#include "slot/world/source.h"
#include "tests/simulation/catalog.h"
#include "tests/simulation/chunks.h"
#include "tests/simulation/stream.h"

namespace walduct::simulation {

class Source final : public slot::Source {
 public:
  Source(World* world, Process* process)
      : world_(*world), process_(*process), catalog_(world, process) {}

  ~Source() override { world_.Close(session_); }

  absl::Status Connect() override;
  absl::StatusOr<slot::SourceFacts> Inspect() override;
  absl::StatusOr<replication::TimelineHistory> Timelines() override;
  absl::Status CheckSlot() override;
  absl::Status PreviewTransforms() override { return absl::OkStatus(); }
  absl::Status CheckPlan(const slot::SourcePlan&) override { return absl::OkStatus(); }
  absl::Status PreparePublication(const slot::SourcePlan&) override { return absl::OkStatus(); }
  absl::StatusOr<Lsn> CreateSlot(const slot::SourcePlan& plan,
                                 const postgres::StopCheck& stopping) override;
  absl::StatusOr<std::optional<slot::ReplayLag>> LagOfRows() override;
  absl::StatusOr<std::unique_ptr<slot::TableSnapshot>> OpenSnapshot(Lsn start) override;
  absl::StatusOr<Lsn> CurrentLsn() override { return Now(); }
  absl::StatusOr<slot::OpenedStream> OpenStream(const event::Position& start) override;
  event::SchemaResolver& schemas() override { return catalog_; }
  absl::Status DropSlot() override;
  absl::Status CheckSlotHeld() override;
  absl::Status CheckSlotSession() override;
  std::optional<std::vector<postgres::TableName>> SignalTables() const override;
  std::unique_ptr<incremental::ChunkSource> OpenChunks(const incremental::RecordKeyOf&) override {
    return std::make_unique<Chunks>(&world_, &process_);
  }

 private:
  absl::StatusOr<std::unique_ptr<slot::TableSnapshot>> OpenOnStandby(Lsn start);
  // This server is no more.
  bool Gone() const { return timeline_ != 0 && timeline_ != world_.database.timeline(); }
  Lsn Now() const { return world_.database.WalEnd(world_.time.Monotonic()); }

  World& world_;
  Process& process_;
  Catalog catalog_;
  std::shared_ptr<Walsender> session_;
  uint32_t timeline_ = 0;  // that was looked at
  Lsn connected_at_;
  std::optional<Lsn> exported_;  // of the slot that was created
  std::optional<Standby::Session> standby_;
  slot::StandbyNeeds needs_;
};

}  // namespace walduct::simulation
