// ConnectorNames: what hints call by its name: the connector's own, and those of what it uses on
// the server.
#pragma once

#include <string>

namespace walduct::engine {

struct ConnectorNames {
  std::string connector, host, port, database, role, slot, publication;
  bool makes_publication = false;  // a start does where it is missing
  bool served = false;             // by walduct serve, which takes commands; else by walduct run
};

}  // namespace walduct::engine
