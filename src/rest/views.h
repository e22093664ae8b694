// What a worker shows of its connectors.
#pragma once

#include <optional>
#include <string>

#include "rest/configuration/config_map.h"

namespace walduct::rest {

struct ConnectorView {
  std::string name;
  ConfigMap config;
  int tasks = 0;
  bool foreign = false;  // of a class that is not run here
};

struct TaskView {
  std::string state;
  std::string trace;  // empty: none
};

struct StatusView {
  std::string name, state, trace, worker_id, version;
  std::optional<TaskView> task;
};

}  // namespace walduct::rest
