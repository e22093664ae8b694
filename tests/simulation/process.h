// Process: one life of a connector in the simulated world: the real Lifecycle, with all that it is
// made of, on simulated time, database, broker and offset store. It ends when it is told to, when
// it has failed, or when it is killed. What it runs on is a fiber, and it is its own clock: one
// that was killed runs on to its end in no time, and nothing that it does has any effect.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "engine/configuration/connector_options.h"
#include "engine/control/control.h"
#include "engine/control/status_board.h"
#include "engine/lifecycle/lifecycle.h"
#include "slot/world/world.h"
#include "tests/simulation/world.h"

namespace walduct::simulation {

class Process final : public slot::World, private Clock, private Poller {
 public:
  Process(simulation::World* world, std::string name);
  ~Process() override;

  // Starts it; the fiber runs with Fibers::RunUntil.
  void Start();
  bool ended() const { return world_.fibers.ended(fiber_); }
  void Quit();

  // To be asked at every call into the world: it may be killed there, or stand still. True once it
  // is dead.
  bool Step(const char* where);
  void Kill(const char* where);
  bool dead() const { return dead_; }
  // Not standing still.
  bool runs() const { return world_.time.Monotonic() >= stands_until_; }
  absl::Duration stands_until() const { return stands_until_; }

  // The snapshot that is being read.
  struct Reading {
    Lsn seen;
    uint32_t timeline = 1;
    std::set<std::pair<size_t, size_t>> due;  // table and key, to be acknowledged
    bool all_read = false;

    // All its rows are in the topics.
    void Delivered(simulation::World* world) const;
  };
  std::optional<Reading> reading;
  void OnReadAcknowledged(size_t table, size_t key);
  // Planted: what is in flight counts as delivered.
  bool keepalive_counts = false;

  engine::ConnectorStatus status() const { return board_.Read(); }
  // Once a second: what is promised of one that runs.
  void Watch();

  const Environment& environment() const override { return environment_; }
  uint64_t Random() override { return world_.random.Next(); }
  absl::StatusOr<std::unique_ptr<sink::Sink>> OpenSink(const engine::ConnectorOptions&,
                                                       sink::Refusals*) override;
  absl::StatusOr<std::unique_ptr<offset::OffsetStore>> OpenOffsetStore(
      const engine::ConnectorOptions&) override;
  std::unique_ptr<slot::Source> MakeSource(const slot::SourceOptions&) override;

 private:
  absl::Time Now() override { return test::SimulatedTime::Epoch() + Monotonic(); }
  absl::Duration Monotonic() override { return world_.time.Monotonic() + after_death_; }
  void WaitReadable(std::initializer_list<int> fds, absl::Duration timeout) override;
  void WaitWritable(int fd, absl::Duration timeout) override { WaitReadable({fd}, timeout); }

  simulation::World& world_;
  const std::string name_;
  const Environment environment_;
  engine::ConnectorOptions config_;
  metrics::ConnectorMetrics metrics_;
  engine::Mailbox mailbox_;
  engine::StatusBoard board_;
  engine::Control control_;
  engine::Lifecycle lifecycle_;
  Fibers::Id fiber_ = 0;
  bool dead_ = false;
  absl::Duration after_death_, stands_until_;
  std::pair<size_t, Lsn> progress_;
  absl::Duration progressed_;
};

}  // namespace walduct::simulation
