// The connectors of a worker that do not run (stopped, or paused since before it was started), told
// to the Connectors, which go on looking at their slots. One thread, but for what says otherwise.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "base/mutex.h"
#include "engine/lifecycle/connectors.h"
#include "serve/worker/worker.h"

namespace walduct::serve {

class RestingConnectors {
 public:
  // All borrowed.
  RestingConnectors(Worker& worker, engine::Connectors& connectors, const ConnectorLoader& loader)
      : worker_(worker), connectors_(connectors), loader_(loader) {}

  // Call it every second or so: it only compares, unless something has changed.
  void Look();
  // What its slot was is forgotten, as its position is. Any thread.
  void Anew(const std::string& name);

 private:
  struct Known {
    uint64_t version = 0;  // of the configuration
    std::string state;
  };
  bool Rest(const std::string& name);

  Worker& worker_;
  engine::Connectors& connectors_;
  const ConnectorLoader& loader_;
  std::map<std::string, Known> known_;
  Mutex mutex_;
  std::set<std::string> anew_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace walduct::serve
