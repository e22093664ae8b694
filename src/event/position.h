// Position: how far the stream has been read, sent or stored. The unit of progress everywhere.
//
// It is (commit_end, ordinal): every transaction that ends at or before commit_end is behind it,
// and so are the first `ordinal` changes of the one transaction that follows. It is never the LSN
// of an event: rows of one COPY share an LSN, a BEGIN shares it with its first row, and the next
// BEGIN can equal the previous COMMIT. The other members say where the last change lay; they take
// no part in the order.
#pragma once

#include <compare>
#include <cstdint>

#include "base/lsn.h"

namespace walduct::event {

// Where a position stands towards an initial snapshot.
enum class SnapshotPhase : uint8_t {
  kNone,       // streaming
  kRunning,    // rows of a snapshot; a restart begins the snapshot anew
  kCompleted,  // the snapshot's last row is behind, nothing streamed yet
};

struct Position {
  Lsn commit_end;  // end LSN of the last transaction wholly behind; snapshot: its consistent point
  // changes of the following transaction already behind; 0 at a commit boundary
  uint64_t ordinal = 0;
  Lsn transaction_final_lsn;   // that transaction's commit record (BEGIN's final_lsn); 0/0 when
                               // ordinal is 0
  Lsn change_lsn;              // LSN of the last change behind
  uint64_t xid = 0;            // its transaction; 64 bits: a snapshot's xid carries the epoch
  int64_t commit_time_us = 0;  // since the Unix epoch
  SnapshotPhase snapshot = SnapshotPhase::kNone;

  friend std::strong_ordering operator<=>(const Position& a, const Position& b) {
    if (const auto order = a.commit_end <=> b.commit_end; order != 0) return order;
    return a.ordinal <=> b.ordinal;
  }
  friend bool operator==(const Position& a, const Position& b) { return (a <=> b) == 0; }
};

}  // namespace walduct::event
