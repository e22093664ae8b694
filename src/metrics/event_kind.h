// What a change is, for counting.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"

namespace walduct::metrics {

enum class EventKind : uint8_t { kRead, kCreate, kUpdate, kDelete, kTruncate, kMessage };
inline constexpr std::array<absl::string_view, 6> kEventKindLabels = {
    "read", "create", "update", "delete", "truncate", "message"};

}  // namespace walduct::metrics
