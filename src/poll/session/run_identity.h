// RunId: a time-ordered UUID (version 7) for one start of a connector, the header
// __debezium.context.runId.
#pragma once

#include <string>

#include "absl/strings/str_format.h"
#include "engine/lifecycle/host.h"

namespace walduct::poll {

inline std::string RunId(engine::Host& host) {
  const uint64_t ms = static_cast<uint64_t>(absl::ToUnixMillis(host.clock().Now()));
  const uint64_t low = 0x8000000000000000ULL | (host.Random() >> 2);
  return absl::StrFormat("%08x-%04x-%04x-%04x-%012x", static_cast<uint32_t>(ms >> 16),
                         static_cast<uint32_t>(ms & 0xFFFF),
                         static_cast<uint32_t>(0x7000 | (host.Random() & 0x0FFF)),
                         static_cast<uint32_t>(low >> 48), low & 0xFFFFFFFFFFFFULL);
}

}  // namespace walduct::poll
