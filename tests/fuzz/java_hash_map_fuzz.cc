// Whatever the file holds: no crash, and what is accepted is written back as something that reads
// the same.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "java/serial/hash_map_file.h"
#include "offset/stored_offset.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto map = walduct::java::HashMapFile::Parse(bytes);
  if (!map.ok()) return 0;
  const auto again = walduct::java::HashMapFile::Parse(map->Serialize());
  CHECK(again.ok() && again->entries() == map->entries());
  for (const auto& [key, value] : map->entries()) {
    if (!value) continue;
    const auto offset = walduct::offset::DecodeOffset(*value);
    if (offset.ok())
      CHECK(walduct::offset::DecodeOffset(walduct::offset::EncodeOffset(*offset)).ok());
  }
  return 0;
}
