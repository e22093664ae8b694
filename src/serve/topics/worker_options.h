// What a worker file says to a worker. Immutable once built.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "access/access_options.h"
#include "access/session_keys.h"
#include "http/client.h"
#include "kafka/group/group_timing.h"

namespace walduct::kafka {
struct KafkaOptions;
}  // namespace walduct::kafka

namespace walduct::serve {

struct InternalTopicOptions {
  std::string name;
  int partitions = 1;  // when we create it
  int replication_factor = -1;
};

struct WorkerOptions {
  std::string group_id;
  InternalTopicOptions configs, status, offsets;
  std::shared_ptr<const kafka::KafkaOptions> clients;  // of these topics
  std::vector<access::ListenerOptions> listeners;
  access::AccessOptions access;
  access::SessionOptions session;  // of what workers ask of each other
  http::ClientTls between;         // the same, where it is https
  bool shares = false;  // walduct.group.share: connectors are shared out among the workers
  // session.timeout.ms and heartbeat.interval.ms, of one that shares.
  kafka::GroupTiming timing = {};
  std::string instance;   // walduct.group.instance.id, of one that shares; empty: none
  std::string url;        // of this worker, for other ones; empty: none
  std::string worker_id;  // how others reach it: host:port
};

}  // namespace walduct::serve
