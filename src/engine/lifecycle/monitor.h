// Monitor: looks at the sources of connectors that do not look by themselves: paused, stopped and
// failed ones, and those that wait for a server. What it finds stands among the connector's
// metrics.
#pragma once

#include <memory>

#include "engine/configuration/connector_names.h"
#include "engine/control/status_board.h"

namespace walduct::metrics {
struct ConnectorMetrics;
}  // namespace walduct::metrics

namespace walduct::engine {

struct ConnectorOptions;

// A connector as it is looked at. Any thread.
class Monitored {
 public:
  virtual ~Monitored() = default;

  virtual const ConnectorOptions& config() const = 0;
  // What hints call it.
  virtual const ConnectorNames& names() const = 0;
  virtual ConnectorStatus status() const = 0;
  virtual metrics::ConnectorMetrics& metrics() = 0;
};

// Thread-safety: any thread.
class Monitor {
 public:
  virtual ~Monitor() = default;

  // From now on, on a thread of the monitor's, as long as somebody else keeps it.
  virtual void Add(const std::shared_ptr<Monitored>& connector) = 0;
};

}  // namespace walduct::engine
