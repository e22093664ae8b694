#include "replication/frame.h"

#include <cstring>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/byte_reader.h"
#include "base/error.h"

namespace walduct::replication {
namespace {

// 2000-01-01 00:00:00 UTC, PostgreSQL's epoch.
constexpr int64_t kEpochUnixSeconds = 946684800;

absl::Status Malformed(absl::string_view what, absl::string_view bytes) {
  return Error(absl::StatusCode::kDataLoss, "frame_malformed",
               absl::StrCat(what, " of ", bytes.size(), " bytes, beginning with ",
                            absl::BytesToHexString(bytes.substr(0, 26))));
}

void Append(uint64_t value, char*& out) {
  const uint64_t big_endian = __builtin_bswap64(value);
  std::memcpy(out, &big_endian, sizeof(big_endian));
  out += sizeof(big_endian);
}

}  // namespace

absl::StatusOr<WalFrame> DecodeFrame(absl::string_view bytes) {
  ByteReader reader(bytes);
  WalFrame frame;
  switch (reader.U8()) {
    case 'w':
      frame.kind = WalFrame::Kind::kData;
      frame.start = Lsn(reader.U64());
      frame.wal_end = Lsn(reader.U64());
      reader.U64();  // when it was sent
      frame.payload = reader.Bytes(reader.remaining());
      break;
    case 'k':
      frame.kind = WalFrame::Kind::kKeepalive;
      frame.wal_end = Lsn(reader.U64());
      reader.U64();
      frame.reply_requested = reader.U8() != 0;
      break;
    default:
      return Malformed("unknown replication message", bytes);
  }
  if (!reader.ok()) return Malformed("truncated replication message", bytes);
  return frame;
}

std::array<char, kStatusUpdateSize> EncodeStatusUpdate(const StatusUpdate& update) {
  std::array<char, kStatusUpdateSize> bytes;
  char* out = bytes.data();
  *out++ = 'r';
  Append(update.received.value(), out);
  Append(update.flushed.value(), out);
  Append(update.flushed.value(), out);
  const absl::Time epoch = absl::FromUnixSeconds(kEpochUnixSeconds);
  Append(static_cast<uint64_t>(absl::ToInt64Microseconds(update.now - epoch)), out);
  *out = update.reply_requested ? 1 : 0;
  return bytes;
}

}  // namespace walduct::replication
