// WalName: the name of a file that restore_command is asked for, such as 000000020000000000000005
// or 00000002.history. Segments are compared by number, whatever their timeline.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "base/lsn.h"

namespace walduct::recover {

constexpr uint64_t kUsualSegmentBytes = 16 << 20;

// Whether a server can have segments of that size: a power of two, 1 MiB to 1 GiB.
constexpr bool IsSegmentSize(uint64_t bytes) {
  return bytes >= (1 << 20) && bytes <= (1 << 30) && (bytes & (bytes - 1)) == 0;
}

struct WalName {
  uint32_t timeline = 0;
  uint32_t high = 0, low = 0;  // of a segment: the second and the third eight digits

  // Of segments of that size.
  uint64_t Number(uint64_t segment_bytes) const {
    return high * ((uint64_t{1} << 32) / segment_bytes) + low;
  }
  Lsn Begin(uint64_t segment_bytes) const { return Lsn(Number(segment_bytes) * segment_bytes); }

  // Null: not the name of a segment.
  static std::optional<WalName> OfSegment(absl::string_view name);
};

// The names that PostgreSQL has put in place of %f and %p, where words of a command have them.
struct AskedFor {
  std::string file;  // %f
  std::string path;  // %p
};
void FindAskedFor(absl::string_view word, AskedFor* found);

}  // namespace walduct::recover
