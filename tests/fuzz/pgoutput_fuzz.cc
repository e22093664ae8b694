// One message of any kind: decoded, or refused with a status. The first byte says whether it comes
// inside a stream block.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "tests/support/pgoutput_decode_any.h"

namespace {

// Every view must lie within what it was decoded from.
void CheckRow(walduct::event::RowView row, absl::string_view payload) {
  for (const walduct::event::Value& value : row) {
    if (!value.is_text()) continue;
    CHECK(value.data >= payload.data());
    CHECK(value.data + value.size <= payload.data() + payload.size());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* input, size_t size) {
  if (size == 0) return 0;
  static walduct::test::DecodedMessages decoded;  // reused, as in production
  const absl::string_view payload(reinterpret_cast<const char*>(input) + 1, size - 1);
  const absl::Status status = DecodeAny(payload, (input[0] & 1) != 0, decoded);
  if (!status.ok()) {
    CHECK(status.code() == absl::StatusCode::kDataLoss ||
          status.code() == absl::StatusCode::kUnimplemented);
    return 0;
  }
  switch (payload[0]) {
    case 'I':
      CheckRow(decoded.insert.new_row, payload);
      break;
    case 'U':
      CheckRow(decoded.update.old_row, payload);
      CheckRow(decoded.update.new_row, payload);
      break;
    case 'D':
      CheckRow(decoded.deletion.old_row, payload);
      break;
    default:
      break;
  }
  return 0;
}
