// What is typed behind `walduct outbox drill`.
#pragma once

#include <string>

namespace walduct::cli {

struct OutboxDrillRequest {
  std::string url, password_file;
  std::string bootstrap_servers;  // empty: without Kafka, unless a worker file names brokers
  std::string worker_file;
  std::string schema = "walduct_outbox_drill";
  bool delete_topics = false;
};

}  // namespace walduct::cli
