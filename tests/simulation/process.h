// Process: one life of a connector in the simulated world, on the calling thread: the real
// Lifecycle, with all that it is made of, on simulated time, database, broker and offset store. It
// ends when it is told to, or when it is killed.
#pragma once

#include "engine/configuration/connector_options.h"
#include "engine/control/control.h"
#include "engine/lifecycle/lifecycle.h"
#include "engine/world/world.h"
#include "tests/simulation/world.h"

namespace walduct::simulation {

class Process final : public engine::World {
 public:
  explicit Process(simulation::World* world);

  // Returns once quit, by EndAfter, by a crash, or when it has failed for good (told to the
  // ledger).
  void Run();

  // Asks for a clean stop that much later.
  void EndAfter(absl::Duration delay);
  // Asks for a clean stop once everything is done, at the latest at the deadline.
  void EndWhenComplete(absl::Duration deadline);

  const Environment& environment() const override { return environment_; }
  uint64_t Random() override { return world_.random.Next(); }
  absl::StatusOr<std::unique_ptr<sink::Sink>> OpenSink(const engine::ConnectorOptions&) override;
  absl::StatusOr<std::unique_ptr<offset::OffsetStore>> OpenOffsetStore(
      const engine::ConnectorOptions&) override;
  std::unique_ptr<engine::Source> MakeSource(const engine::SourceOptions&) override;

 private:
  // Once a second: has it died, failed, or nothing left to do?
  void Watch();

  simulation::World& world_;
  const Environment environment_;
  engine::ConnectorOptions config_;
  metrics::ConnectorMetrics metrics_;
  engine::Mailbox mailbox_;
  engine::StatusBoard board_;
  engine::Control control_;
  engine::Lifecycle lifecycle_;
  std::optional<absl::Duration> complete_by_;
};

}  // namespace walduct::simulation
