// A file of java.util.Properties: refused, or pairs of UTF-8 whatever bytes the file has.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "base/utf8.h"
#include "java/text/properties_text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* input, size_t size) {
  const absl::string_view text(reinterpret_cast<const char*>(input), size);
  const auto parsed = walduct::java::ParseProperties(text);
  if (!parsed.ok()) {
    CHECK(parsed.status().code() == absl::StatusCode::kInvalidArgument);
    return 0;
  }
  for (const auto& [key, value] : parsed->values)
    CHECK(walduct::IsValidUtf8(key) && walduct::IsValidUtf8(value));
  return 0;
}
