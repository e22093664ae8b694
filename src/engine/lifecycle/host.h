// Host: what the engine asks of the world around a connector: time, chance, the source that the
// configuration names. Connectors share one; tests and the simulation have their own.
//
// Thread-safety: any thread. What it opens belongs to the thread that asked.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/environment.h"
#include "engine/lifecycle/attempt.h"
#include "engine/lifecycle/monitor.h"

namespace walduct::engine {

class StartTurns;

class Host {
 public:
  virtual ~Host() = default;

  virtual const Environment& environment() const = 0;
  Clock& clock() const { return *environment().clock; }
  Poller& poller() const { return *environment().poller; }
  virtual uint64_t Random() = 0;

  virtual std::unique_ptr<Attempts> MakeAttempts(const AttemptParts& parts) = 0;
  // What a connector is run as, where several threads read it (SourceType::lanes); else itself.
  virtual std::vector<ConnectorOptions> LanesOf(const ConnectorOptions& whole);
  // Of the connectors of a process; null: they start whenever they like.
  virtual StartTurns* start_turns() { return nullptr; }
  // Of all connectors of a process.
  virtual std::unique_ptr<Monitor> MakeMonitor() = 0;
};

}  // namespace walduct::engine
