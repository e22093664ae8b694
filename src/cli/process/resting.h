// The connectors of a worker that do not run (stopped, or paused since before it was started), told
// to the Connectors, which go on looking at their slots. One thread, but for what says otherwise.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/mutex.h"
#include "engine/lifecycle/connectors.h"
#include "rest/worker.h"

namespace walduct::cli {

class RestingConnectors {
 public:
  // Both borrowed. load: as the worker does it.
  RestingConnectors(rest::Worker& worker, engine::Connectors& connectors,
                    std::function<rest::Loaded(const rest::ConfigMap&)> load)
      : worker_(worker), connectors_(connectors), load_(std::move(load)) {}

  // Call it every second or so: it only compares, unless something has changed.
  void Look();
  // What its slot was is forgotten, as its position is. Any thread.
  void Anew(const std::string& name);

 private:
  struct Known {
    rest::ConfigMap config;
    std::string state;
  };
  bool Rest(const std::string& name);

  rest::Worker& worker_;
  engine::Connectors& connectors_;
  const std::function<rest::Loaded(const rest::ConfigMap&)> load_;
  std::map<std::string, Known> known_;
  Mutex mutex_;
  std::set<std::string> anew_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace walduct::cli
