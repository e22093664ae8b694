// Records as entries of Redis streams. Immutable once built.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/time/time.h"
#include "redis/options.h"

namespace walduct::sink {

struct RedisSinkOptions {
  size_t buffer_bytes = 8u << 20;  // not acknowledged yet, at most
  redis::RedisOptions server = {};
  bool extended = false;  // fields key, value and headers, else one: key → value
  std::string null_key = "default";
  std::string null_value = "default";
  size_t batch_records = 500;
  uint64_t memory_limit_bytes = 0;  // of the server; 0: its own limit
  bool skip_heartbeats = true;
  // A replica is to have them, too. Otherwise asked for again, or let pass with a warning.
  bool awaits_replica = false;
  bool insists_on_replica = false;
  absl::Duration replica_timeout = absl::Seconds(1);
  absl::Duration replica_pause = absl::Seconds(1);
  bool ids_of_position = false;  // else the server's
  uint64_t max_entries = 0;      // of a stream, about; 0: all
  absl::Duration max_age = {};   // the same
};

}  // namespace walduct::sink
