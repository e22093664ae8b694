// The messages inside the COPY of a replication connection. Pure.
//
// Server to client:
//   XLogData  := 'w' start:u64 wal_end:u64 send_time:i64 payload
//   Keepalive := 'k' wal_end:u64 send_time:i64 reply_requested:u8
// Client to server:
//   Status    := 'r' received:u64 flushed:u64 applied:u64 send_time:i64 reply_requested:u8
// All numbers big-endian; times in microseconds since 2000-01-01 00:00:00 UTC.
//
// Source: https://www.postgresql.org/docs/current/protocol-replication.html
#pragma once

#include <array>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/lsn.h"
#include "replication/wal_source.h"

namespace walduct::replication {

// The payload borrows bytes. DataLoss frame_malformed for an unknown kind or a frame that is too
// short.
absl::StatusOr<WalFrame> DecodeFrame(absl::string_view bytes);

struct StatusUpdate {
  Lsn received;
  Lsn flushed;  // sent as applied too: nothing of ours lies between the two
  absl::Time now;
  bool reply_requested = false;
};
constexpr size_t kStatusUpdateSize = 1 + 4 * 8 + 1;
std::array<char, kStatusUpdateSize> EncodeStatusUpdate(const StatusUpdate& update);

}  // namespace walduct::replication
