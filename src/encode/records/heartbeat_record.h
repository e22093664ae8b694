// The record of the heartbeat topic: always the same key, the time as value, partition 0.
#pragma once

#include <string>

#include "absl/time/time.h"
#include "config/options/options.h"
#include "encode/formats/text_target.h"
#include "encode/schema/connect_schema.h"

namespace walduct::encode {

ConnectSchema HeartbeatKeySchema();
ConnectSchema HeartbeatValueSchema();

// The schemas' texts are made once. Thread-safe after construction.
class HeartbeatRecord {
 public:
  static constexpr int32_t kPartition = 0;

  explicit HeartbeatRecord(const config::EncodeOptions& options);

  void AppendKey(TextFormat format, std::string* out) const;
  void AppendValue(absl::Time now, TextFormat format, std::string* out) const;

 private:
  const std::string topic_prefix_, key_head_, value_head_;
};

}  // namespace walduct::encode
