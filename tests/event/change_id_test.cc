#include "event/change_id.h"

#include <gtest/gtest.h>

namespace walduct::event {
namespace {

TEST(ChangeId, IsReadAsItIsWritten) {
  const ChangeId change{Lsn(0x1000000AB), 12};
  EXPECT_EQ(change.Text(), "1/AB:12");
  EXPECT_EQ(ParseChangeId(change.Text()), change);
}

TEST(ChangeId, NothingElseIsOne) {
  for (const char* text : {"", ":", "0/1", "0/1:", "0/1:0", "0/0:1", "0/1:-1", "0/1:+1", "0/1: 1",
                           "0/1:1 ", "0/1:1:1", "1:0/1", "0/1:99999999999999999999"})
    EXPECT_EQ(ParseChangeId(text), std::nullopt) << text;
}

TEST(ChangeId, OnlyAChangeOfATransactionHasOne) {
  Position position;
  position.commit_end = Lsn(5);
  EXPECT_EQ(LastChange(position), std::nullopt);
  position.ordinal = 3;
  EXPECT_EQ(LastChange(position), std::nullopt);
  position.transaction_final_lsn = Lsn(9);
  EXPECT_EQ(LastChange(position), (ChangeId{Lsn(9), 3}));
}

}  // namespace
}  // namespace walduct::event
