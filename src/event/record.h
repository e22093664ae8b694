// Record: one encoded Kafka record. Borrows the encoder's buffers: valid until the encoder is used
// again; Sink::Write copies what it keeps.
#pragma once

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace walduct::event {

struct Header {
  absl::string_view name;
  absl::string_view value;
};

struct Record {
  absl::string_view topic;
  std::optional<int32_t> partition;        // absent: by the key
  std::optional<absl::string_view> key;    // absent: null
  std::optional<absl::string_view> value;  // absent: null, a tombstone
  absl::Span<const Header> headers;
};

}  // namespace walduct::event
