// Brokers and Java client properties of one connector. Immutable once built.
#pragma once

#include <map>
#include <string>

namespace walduct::kafka {

struct KafkaOptions {
  std::string bootstrap_servers;
  // Java producer properties after merging worker producer.* and connector producer.override.*;
  // secrets inside.
  std::map<std::string, std::string> producer;
  // Client properties (security.*, sasl.*, ssl.*) for consumers and admin calls: worker level and
  // consumer.* / admin.*.
  std::map<std::string, std::string> consumer;
  std::map<std::string, std::string> admin;
};

}  // namespace walduct::kafka
