// Worker: one life of a connector that polls, in the simulated world: the real Lifecycle with the
// real attempts of room poll, on simulated time, server, target and store. As simulation's Process:
// one that was killed runs on to its end in no time, and nothing that it does has any effect.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "engine/configuration/connector_options.h"
#include "engine/control/control.h"
#include "engine/control/status_board.h"
#include "engine/lifecycle/host.h"
#include "engine/lifecycle/lifecycle.h"
#include "metrics/connector_metrics.h"
#include "poll/session/poll_world.h"
#include "tests/simulation/poll/statements.h"
#include "tests/simulation/poll/world.h"

namespace walduct::poll_simulation {

class Worker final : public engine::Host, public poll::PollWorld, private Clock, private Poller {
 public:
  // number: which worker of walduct.outbox.workers it is.
  Worker(World* world, std::string name, size_t number);
  ~Worker() override;

  // Starts it; the fiber runs with Fibers::RunUntil.
  void Start();
  bool ended() const { return world_.fibers.ended(fiber_); }
  void Quit();

  // To be asked at every call into the world: it may be killed there, or stand still. True once it
  // is dead.
  bool Step(const char* where);
  void Kill(const char* where);
  bool dead() const { return dead_; }
  static absl::Status Dead() { return absl::UnavailableError("the process was killed"); }
  // Not standing still.
  bool runs() const { return world_.time.Monotonic() >= stands_until_; }
  absl::Duration stands_until() const { return stands_until_; }
  engine::ConnectorStatus status() const { return board_.Read(); }

  const Environment& environment() const override { return environment_; }
  uint64_t Random() override { return world_.random.Next(); }
  std::unique_ptr<engine::Attempts> MakeAttempts(const engine::AttemptParts& parts) override;
  std::unique_ptr<engine::Monitor> MakeMonitor() override { return nullptr; }

  absl::StatusOr<poll::TableSessions> OpenSessions(const engine::ConnectorOptions& config,
                                                   const Environment& environment,
                                                   const postgres::StopCheck& stopping) override;
  absl::StatusOr<std::unique_ptr<sink::Sink>> OpenSink(const engine::ConnectorOptions& config,
                                                       const Environment& environment,
                                                       sink::Refusals* refusals) override;
  absl::StatusOr<std::unique_ptr<offset::OffsetStore>> OpenOffsetStore(
      const engine::ConnectorOptions& config, const Environment& environment) override;

 private:
  absl::Time Now() override { return test::SimulatedTime::Epoch() + Monotonic(); }
  absl::Duration Monotonic() override { return world_.time.Monotonic() + after_death_; }
  void WaitReadable(std::initializer_list<int> fds, absl::Duration timeout) override;
  void WaitWritable(int fd, absl::Duration timeout) override { WaitReadable({fd}, timeout); }

  World& world_;
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
  std::vector<std::weak_ptr<Session>> sessions_;
};

}  // namespace walduct::poll_simulation
