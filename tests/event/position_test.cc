#include "event/position.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace walduct::event {
namespace {

Position At(uint64_t commit_end, uint64_t ordinal) {
  Position position;
  position.commit_end = Lsn(commit_end);
  position.ordinal = ordinal;
  return position;
}

TEST(Position, OrdersByCommitEndThenOrdinal_RST) {
  EXPECT_LT(At(10, 0), At(10, 1));
  EXPECT_LT(At(10, 500), At(11, 0));
  EXPECT_GT(At(12, 0), At(11, 9));
  EXPECT_EQ(At(10, 3), At(10, 3));
}

TEST(Position, TheDefaultIsBeforeAllOthers) {
  EXPECT_LT(Position(), At(0, 1));
  EXPECT_LT(Position(), At(1, 0));
}

TEST(Position, WhereTheLastChangeLayTakesNoPartInTheOrder) {
  Position a = At(10, 1);
  Position b = At(10, 1);
  b.change_lsn = Lsn(99);
  b.xid = 7;
  b.commit_time_us = 5;
  b.transaction_final_lsn = Lsn(50);
  b.snapshot = SnapshotPhase::kCompleted;
  EXPECT_EQ(a, b);
  // Rows of one COPY share an LSN: only the ordinal tells them apart.
  a.ordinal = 2;
  a.change_lsn = b.change_lsn;
  EXPECT_GT(a, b);
}

}  // namespace
}  // namespace walduct::event
