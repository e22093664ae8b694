#include "recover/replay/window_source.h"

#include "base/byte_reader.h"
#include "base/status_macros.h"

namespace walduct::recover {
namespace {

using replication::WalFrame;

constexpr int64_t kPostgresEpochUs = 946684800000000;  // 2000-01-01

}  // namespace

absl::StatusOr<WalFrame> WindowSource::Next() {
  while (!window_->ended) {
    ASSIGN_OR_RETURN(const WalFrame frame, source_->Next());
    if (frame.kind == WalFrame::Kind::kKeepalive) {
      const Lsn end = window_->end;
      // What has begun comes whole: nobody ends in the middle of it.
      if (!open_ && end.valid() && frame.wal_end >= end) window_->ended = true;
      return frame;
    }
    if (frame.kind != WalFrame::Kind::kData || Judge(frame)) return frame;
  }
  return WalFrame();
}

bool WindowSource::Judge(const WalFrame& frame) {
  ByteReader payload(frame.payload);
  switch (payload.U8()) {
    case 'B': {
      payload.U64();
      const int64_t time = static_cast<int64_t>(payload.U64()) + kPostgresEpochUs;
      before_ = before_ && time < window_->since;
      if (!before_ && time >= window_->until) window_->ended = true;
      open_ = !window_->ended;
      return open_;
    }
    case 'C':
      open_ = false;
      return true;
    case 'I':
    case 'U':
    case 'D':
    case 'T':
    case 'M':
      return !before_;
    default:
      return true;
  }
}

}  // namespace walduct::recover
