// SharedSlots: connectors of one process that are to read one replication slot, which one of them
// can at a time. Kafka Connect refuses none of them.
#pragma once

#include <map>
#include <set>
#include <string>

#include "engine/configuration/connector_names.h"

namespace walduct::engine {

class SharedSlots {
 public:
  void Add(const ConnectorNames& names);
  // "replication slot 's' is that of connector b, too: …"; empty: it is this one's alone.
  std::string TextOf(const ConnectorNames& names) const;

 private:
  std::map<std::string, std::set<std::string>> by_slot_;  // on its server
};

inline constexpr char kSharedSlotHint[] = "give one of the two another slot.name";
// What to type about it. reads: this connector is the one that reads the slot now, and keeps it.
std::string SharedSlotHint(const ConnectorNames& names, bool reads);

}  // namespace walduct::engine
