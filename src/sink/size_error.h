// What is said of a record that Kafka does not take: how large it is, whose limit it is beyond, and
// what to set to which value.
#pragma once

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace walduct::sink {

struct RefusedRecord {
  absl::string_view topic;
  absl::string_view servers;  // "kafka:9092"
  size_t bytes = 0;           // of key and value
  bool by_client = false;     // nothing was sent: the producer's own limit
};

// The error of that record; one that says nothing of records as it is.
absl::Status WithSize(const absl::Status& error, const RefusedRecord& record);

}  // namespace walduct::sink
