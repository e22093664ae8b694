// The names of the schemas that an EventRouter gives to values with an envelope. As with Debezium,
// which keeps such schemas, the name of the first event stays for all later ones with the same
// structure of payload, or of the same version where the schema has one, whatever their topic; a
// new start forgets. Thread-safe.
#pragma once

#include <optional>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "base/mutex.h"
#include "event/connect_schema.h"

namespace walduct::transform {

class EnvelopeNames {
 public:
  // The name of the first such event, which is own for the first. payload: null for one without a
  // schema. version: absent where no column gives one; empty for NULL.
  std::string First(const event::ConnectSchema* payload, const std::optional<std::string>& version,
                    const std::string& own);

 private:
  static constexpr size_t kMost = 10'000;         // as many structures as Debezium keeps
  static constexpr size_t kMostBytes = 16 << 20;  // of their descriptions

  Mutex mutex_;
  size_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<std::string, std::string> names_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace walduct::transform
