// ConnectorNames: what hints call by its name: the connector's own, and those of what it uses on
// the server.
#pragma once

#include <compare>
#include <string>
#include <vector>

#include "names/called.h"

namespace walduct::engine {

struct ConnectorOptions;

struct ConnectorNames {
  std::string connector, host, port, database, role;
  std::string slot;     // empty: it reads none
  int slot_number = 0;  // among several of its connector; 0: it is not one of several
  std::string publication, prefix;
  names::Called called;            // by commands; of a lane, the connector that it is of
  bool makes_publication = false;  // a start does where it is missing
  bool served = false;             // by walduct serve, which takes commands; else by walduct run
};

ConnectorNames NamesOf(const ConnectorOptions& options);
// What commands call it: the connector that a lane is of, too.
names::Called CalledOf(const ConnectorOptions& options);

// What no two connectors may share.
struct SlotAddress {
  std::string server;  // host:port
  std::string slot;

  auto operator<=>(const SlotAddress&) const = default;
};
SlotAddress SlotOf(const ConnectorOptions& options);
// So many slots of one connector, by the name of the first.
std::vector<SlotAddress> NumberedSlots(const SlotAddress& first, int count);
// Those of all its lanes; empty: it reads none.
std::vector<SlotAddress> SlotsOf(const ConnectorOptions& whole);

}  // namespace walduct::engine
