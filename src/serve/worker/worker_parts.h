// What a worker works with, each part of it in its own way. All borrowed.
#pragma once

#include <string>

#include "access/session_keys.h"
#include "base/environment.h"
#include "engine/lifecycle/connectors.h"
#include "serve/assignment/assignment.h"
#include "serve/topics/internal_topics.h"
#include "serve/worker/connector_loader.h"

namespace walduct::serve {

struct WorkerParts {
  InternalTopics* topics = nullptr;
  Assignment* assignment = nullptr;
  engine::Connectors* connectors = nullptr;
  Environment environment;
  std::string group;
  std::string worker_id;
  std::string version;  // of the connectors
  const ConnectorLoader* loader = nullptr;
  access::SessionKeys* keys = nullptr;  // of the group; null: there are none
};

}  // namespace walduct::serve
