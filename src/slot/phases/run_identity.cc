#include "slot/phases/run_identity.h"

#include <cstdint>

#include "absl/strings/str_format.h"

namespace walduct::slot {

namespace {

std::string UuidText(uint64_t high, uint64_t low) {
  return absl::StrFormat("%08x-%04x-%04x-%04x-%012x", static_cast<uint32_t>(high >> 32),
                         static_cast<uint32_t>((high >> 16) & 0xFFFF),
                         static_cast<uint32_t>(high & 0xFFFF), static_cast<uint32_t>(low >> 48),
                         low & 0xFFFFFFFFFFFFULL);
}

}  // namespace

std::string RandomUuid(World& world) {
  const uint64_t high = (world.Random() & ~0xF000ULL) | 0x4000;
  return UuidText(high, 0x8000000000000000ULL | (world.Random() >> 2));
}

std::string RunId(World& world) {
  const uint64_t unix_ms = static_cast<uint64_t>(absl::ToUnixMillis(world.clock().Now()));
  const uint64_t high = (unix_ms << 16) | 0x7000 | (world.Random() & 0x0FFF);
  const uint64_t low = 0x8000000000000000ULL | (world.Random() >> 2);
  return UuidText(high, low);
}

}  // namespace walduct::slot
