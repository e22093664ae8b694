// What becomes of a record that cannot be published. Immutable once built.
#pragma once

#include <map>
#include <string>

namespace walduct::engine {

// errors.*: what becomes of a record that cannot be published.
struct RecordErrorOptions {
  bool tolerate = false;          // errors.tolerance=all
  std::string dead_letter_topic;  // empty: such records are logged
  bool context_headers = false;   // errors.deadletterqueue.context.headers.enable
  bool log = false;               // dead letters, too
  bool log_records = false;       // with key and value
  // Java classes as configured, for the context headers.
  std::string value_converter, header_converter;
  std::map<std::string, std::string> transforms;  // by name in the chain
};

}  // namespace walduct::engine
