// What an offset store or a user's file may hold: refused, or an offset that is written and read
// back as the same position.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "offset/stored_offset.h"

namespace {

using walduct::offset::StoredOffset;

void CheckKept(const StoredOffset& offset) {
  const std::string written = EncodeOffset(offset);
  const auto again = walduct::offset::DecodeOffset(written);
  CHECK(again.ok());
  CHECK(again->position == offset.position && again->position.snapshot == offset.position.snapshot);
  CHECK(again->written_by_walduct);
  CHECK(again->system_identifier == offset.system_identifier);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* input, size_t size) {
  const absl::string_view text(reinterpret_cast<const char*>(input), size);
  const auto offset = walduct::offset::DecodeOffset(text);
  if (offset.ok()) CheckKept(*offset);
  const auto body = walduct::offset::DecodeRestBody(text, "srv", 1);
  if (body.ok() && body->front().has_value()) CheckKept(*body->front());
  return 0;
}
