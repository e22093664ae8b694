// What is typed behind `walduct demo`.
#pragma once

#include <string>

namespace walduct::cli {

struct DemoRequest {
  std::string url, password_file;
  std::string bootstrap_servers;  // empty: without Kafka, unless a worker file names brokers
  std::string worker_file;
  std::string schema = "walduct_demo";
  std::string listen;  // empty: a free port
  bool once = false, delete_topics = false;
};

}  // namespace walduct::cli
