#include "engine/lifecycle/run_identity.h"

#include <cstdint>
#include <random>

#include "absl/strings/str_format.h"

namespace walduct::engine {

std::string RunId(Clock& clock) {
  std::random_device random;
  const auto random64 = [&random] { return (uint64_t{random()} << 32) | random(); };
  const uint64_t unix_ms = static_cast<uint64_t>(absl::ToUnixMillis(clock.Now()));
  const uint64_t high = (unix_ms << 16) | 0x7000 | (random64() & 0x0FFF);
  const uint64_t low = 0x8000000000000000ULL | (random64() >> 2);
  return absl::StrFormat("%08x-%04x-%04x-%04x-%012x", static_cast<uint32_t>(high >> 32),
                         static_cast<uint32_t>((high >> 16) & 0xFFFF),
                         static_cast<uint32_t>(high & 0xFFFF), static_cast<uint32_t>(low >> 48),
                         low & 0xFFFFFFFFFFFFULL);
}

}  // namespace walduct::engine
