// CRC-32C (Castagnoli), as records of the WAL carry it.
#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"

namespace walduct::recover {

// Of the bytes behind those that `before` is of; 0: of none.
uint32_t Crc32c(absl::string_view bytes, uint32_t before = 0);

}  // namespace walduct::recover
