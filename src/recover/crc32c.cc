#include "recover/crc32c.h"

#include <array>
#include <cstring>

namespace walduct::recover {
namespace {

// kTables[k][b]: what byte b does that k other bytes follow.
constexpr std::array<std::array<uint32_t, 256>, 8> MakeTables() {
  std::array<std::array<uint32_t, 256>, 8> tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t crc = byte;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82F63B78u : 0);
    tables[0][byte] = crc;
  }
  for (size_t k = 1; k < 8; ++k) {
    for (size_t byte = 0; byte < 256; ++byte) {
      const uint32_t crc = tables[k - 1][byte];
      tables[k][byte] = (crc >> 8) ^ tables[0][crc & 0xFF];
    }
  }
  return tables;
}

constexpr auto kTables = MakeTables();

}  // namespace

uint32_t Crc32c(absl::string_view bytes, uint32_t before) {
  uint32_t crc = ~before;
  const char* next = bytes.data();
  size_t left = bytes.size();
  for (; left >= 8; left -= 8, next += 8) {
    uint64_t eight = 0;
    std::memcpy(&eight, next, 8);
    eight ^= crc;
    crc = 0;
    for (size_t k = 0; k < 8; ++k) crc ^= kTables[7 - k][(eight >> (8 * k)) & 0xFF];
  }
  for (; left > 0; --left, ++next)
    crc = (crc >> 8) ^ kTables[0][(crc ^ static_cast<uint8_t>(*next)) & 0xFF];
  return ~crc;
}

}  // namespace walduct::recover
