// RecordId: names a record of the stream for good: the same after a restart, after a takeover, and
// for whoever reads the same slot. For sinks whose target can tell a repeat by it.
//
//   kChange  a row, a message, a truncate: the commit's LSN, the change's number in its
//            transaction (0: a message outside of one, by its own LSN), and which of the records
//            that the change became
//   kBegin   of the topic of transactions: the commit's LSN
//   kEnd     the same: where the commit ends
//   kRow     of a snapshot. Rows have no number that a second reading would give them again: lsn is
//            that of the snapshot, or of the commit behind an incremental one, and no more. Those
//            that are polled have a name
//   kNothing heartbeats, notifications: the last commit behind them
//
// In one stream they never go back: ordered by lsn, of, number, part. Only kChange, kBegin and kEnd
// are exact.
#pragma once

#include <cstdint>

namespace walduct::event {

// Of a row that is polled: the same whenever it is read. Zeros: none.
struct RowName {
  uint64_t high = 0, low = 0;

  bool given() const { return low != 0; }
};

struct RecordId {
  enum class Of : uint8_t { kNothing, kRow, kEnd, kBegin, kChange };

  uint64_t lsn = 0;
  uint64_t number = 0;
  uint32_t part = 0;
  Of of = Of::kNothing;
  RowName row = {};  // kRow; says nothing about an order

  bool exact() const { return of >= Of::kEnd; }
};

}  // namespace walduct::event
