// What a worker shows of its connectors.
#pragma once

#include <string>

#include "admin/connect_bodies.h"
#include "serve/topics/config_map.h"

namespace walduct::serve {

struct ConnectorView {
  std::string name;
  ConfigMap config;
  int tasks = 0;
  bool foreign = false;  // of a class that is not run here
};

using admin::StatusView;
using admin::TaskView;

}  // namespace walduct::serve
