// Record: one encoded record. Records of one key on one topic arrive in the order they were
// written. Borrows the encoder's buffers: valid until the encoder is used
// again; Sink::Write copies what it keeps.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "event/record_id.h"

namespace walduct::event {

struct Header {
  absl::string_view name;
  absl::string_view value;
  bool is_null = false;
};

struct Record {
  absl::string_view topic;
  std::optional<int32_t> partition;          // absent: by the key
  std::optional<absl::string_view> key;      // absent: null
  std::optional<absl::string_view> value;    // absent: null, a tombstone
  std::optional<int64_t> timestamp_ms = {};  // since the Unix epoch; absent: made_ms
  std::optional<int64_t> made_ms = {};       // the same, when it was made; absent: nobody knows
  absl::Span<const Header> headers;
  bool dropped = false;  // by a transform: there is nothing to publish
  bool warned = false;   // a transform could not do all it is meant to, and has said so
  bool heartbeat = false;
  RecordId id = {};
};

}  // namespace walduct::event
