// What `walduct record` does: the messages of a connector's stream, from now on, into a file that
// bench/decode replays. It looks as `tail` does, through a temporary slot, and is in nobody's way.
// Blocking; for the command line.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "engine/control/stop_signal.h"
#include "slot/world/world.h"

namespace walduct::engine {
struct ConnectorOptions;
}  // namespace walduct::engine

namespace walduct::operate {

// Zero: no such limit.
struct RecordLimits {
  uint64_t changes = 0;
  absl::Duration time = {};
  uint64_t bytes = 0;  // of messages
};

struct RecordRequest {
  const engine::ConnectorOptions* config = nullptr;  // see RecordConfig
  std::string path;
  bool overwrite = false;
  RecordLimits limits = {};
  slot::World* world = nullptr;
  const engine::StopSignal* stop = nullptr;
};

struct Recorded {
  uint64_t changes = 0;       // as the connector counts them, before its filters
  uint64_t transactions = 0;  // that are whole
  uint64_t bytes = 0;
  bool begun = false;  // there is a file
  bool cut = false;    // the last transaction is not whole
};

// Ends behind the transaction that reaches the limits of changes or time, and at the message that
// reaches that of bytes, or when the stop is requested. After an error, too, *recorded says what
// is in the file.
absl::Status RecordStream(const RecordRequest& request, Recorded* recorded);

}  // namespace walduct::operate
