// What the lost slot has missed.
#pragma once

#include <cstdint>
#include <string>

#include "base/lsn.h"

namespace walduct::recover {

struct Gap {
  Lsn from;  // the stored position
  Lsn to;    // where the primary's new slot begins
  uint64_t segment_bytes = 0;
  std::string system_identifier;

  // Of a replay: not known as an LSN yet.
  static constexpr Lsn kUnknown{~uint64_t{0}};

  bool any() const { return from < to; }
};

}  // namespace walduct::recover
