// A row of COPY's text format, unescaped in place: as many values as were asked for, each within
// the line. The first byte is their number.
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/check.h"
#include "postgres/copy_text.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* input, size_t size) {
  if (size == 0) return 0;
  std::vector<walduct::event::Value> values(input[0] % 8);
  // In a block of its own, so that a step behind its end shows.
  std::vector<char> line(input + 1, input + size);
  const absl::Status status =
      walduct::postgres::SplitCopyRow(line.data(), line.size(), absl::MakeSpan(values));
  if (!status.ok()) {
    CHECK(status.code() == absl::StatusCode::kDataLoss);
    return 0;
  }
  const char* last = line.data();
  for (const walduct::event::Value& value : values) {
    CHECK(value.is_text() || value.kind == walduct::event::ValueKind::kNull);
    if (!value.is_text()) continue;
    CHECK(value.data >= last && value.data + value.size <= line.data() + line.size());
    last = value.data + value.size;
  }
  return 0;
}
