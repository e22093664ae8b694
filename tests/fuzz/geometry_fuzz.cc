// WKB and EWKB: refused, or changed in a way that can be undone. The first four bytes are an SRID.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "absl/strings/match.h"
#include "base/check.h"
#include "transform/geometry/geometry_bytes.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* input, size_t size) {
  using namespace walduct::transform;
  int32_t srid = 0;
  if (size < sizeof(srid)) return 0;
  std::memcpy(&srid, input, sizeof(srid));
  // In a block of its own, so that a read behind its end shows.
  const std::string block(reinterpret_cast<const char*>(input) + sizeof(srid), size - sizeof(srid));

  std::string swapped, back;
  if (AppendSwapped(block, &swapped).ok()) {
    CHECK(AppendSwapped(swapped, &back).ok());
    CHECK(swapped.size() <= block.size() && absl::StartsWith(block, back));
  }
  std::string without, with;
  if (HasInnerSrid(block)) {
    const bool removed = AppendWithoutSrid(block, &without).ok();
    CHECK(!removed || without.size() + sizeof(srid) == block.size());
    return 0;
  }
  if (!AppendWithSrid(block, srid, &with).ok()) return 0;
  CHECK(HasInnerSrid(with));
  CHECK(AppendWithoutSrid(with, &without).ok() && without == block);
  return 0;
}
