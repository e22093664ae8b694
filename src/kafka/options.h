// Brokers and Java client properties of one connector. Immutable once built; only secrets may be
// read anew.
#pragma once

#include <functional>
#include <map>
#include <memory>
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
  // Reads the files of its secrets again: the options as they would be built now; null when that
  // fails. Empty: no secret can change.
  std::function<std::shared_ptr<const KafkaOptions>()> again;
};

// With its secrets as they are now, as far as they can be read. Reads files.
KafkaOptions WithFreshSecrets(const KafkaOptions& options);

}  // namespace walduct::kafka
