// WalSource: the stream of one logical replication slot, as bytes. Seam for simulation and tests;
// the real one is ReplicationStream over libpq.
//
// Thread-safety: one caller, the data thread.
#pragma once

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/lsn.h"
#include "replication/socket/receive_window.h"

namespace walduct::replication {

struct WalFrame {
  enum class Kind : uint8_t {
    kNone,  // nothing to read now
    kData,  // XLogData: payload is one pgoutput message
    kKeepalive,
    // A message of a transaction in progress, kept for its commit: nothing to do. payload is for
    // counting.
    kKept,
  };
  Kind kind = Kind::kNone;
  Lsn start;  // kData: of the message, 0/0 for some
  // kData: server's current end of WAL; kKeepalive: everything before it was sent or is of no
  // concern
  Lsn wal_end;
  bool reply_requested = false;  // kKeepalive
  absl::string_view payload;     // kData; valid until the next call of Next()
  bool received_before = false;  // kData: it was kKept, or is said again
};

class WalSource {
 public:
  virtual ~WalSource() = default;

  // The next frame, never waiting: kNone when the socket has no whole message.
  //   Unavailable   connection lost, server shutting down
  //   Aborted       stream ended by the server
  //   others        see ARCHITECTURE.md, error table
  virtual absl::StatusOr<WalFrame> Next() = 0;

  // Standby status update. flushed never goes backwards. Never blocks for long: a full socket is
  // Unavailable after a timeout.
  virtual absl::Status SendStatus(Lsn received, Lsn flushed, bool reply_requested) = 0;

  // The server has closed its side, whatever is still unread before that. For a caller that cannot
  // read now.
  virtual bool Ended() { return false; }

  // Which way its bytes come; the same as long as it lives.
  virtual ReceivePath path() const { return ReceivePath::kFar; }

  // Readable when Next may have something.
  virtual int ready_fd() const = 0;

  // Ends the stream and gives the slot back, waiting at most timeout.
  virtual void Stop(absl::Duration timeout) { static_cast<void>(timeout); }
};

}  // namespace walduct::replication
