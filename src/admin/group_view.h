// GroupView: what a worker knows of a group that shares its connectors, for pages and commands.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace walduct::admin {

struct GroupWorker {
  std::string address;                  // host:port
  int connectors = 0;                   // that it has, or gets
  std::vector<std::string> names = {};  // of these
  bool self = false;
  bool leads = false;
  bool member = true;  // Kafka's coordinator lists it
};

// No worker runs it now.
struct UnassignedConnector {
  std::string name;
  absl::Time since;
  std::string why;
};

struct GroupMove {
  absl::Time at;  // when it was heard of
  std::string connector, from, to;
  std::string why;  // "worker_gone", "evened_out"
};

struct GroupView {
  int64_t epoch = 0;  // of who runs what; 0: one worker alone has it all
  std::vector<GroupWorker> workers;
  std::vector<UnassignedConnector> unassigned;
  std::vector<GroupMove> moves;           // the latest, the last one first
  std::map<std::string, uint64_t> moved;  // by why, since the start
};

}  // namespace walduct::admin
