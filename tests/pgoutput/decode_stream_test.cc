// Truncate, Message, and the messages of protocols 2 to 4.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pgoutput/decode.h"
#include "pgoutput/message_kind.h"
#include "tests/support/pgoutput_builder.h"

namespace walduct::pgoutput {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(DecodeTruncate, RelationsAndOptionsP12) {
  TruncateMessage message;
  ASSERT_TRUE(DecodeTruncate(test::TruncateBytes({7, 8}, 3), false, message).ok());
  EXPECT_THAT(message.relations, ElementsAre(Oid{7}, Oid{8}));
  EXPECT_TRUE(message.cascade);
  EXPECT_TRUE(message.restart_identity);
  ASSERT_TRUE(DecodeTruncate(test::TruncateBytes({9}, 1, 55), true, message).ok());
  EXPECT_THAT(message.relations, ElementsAre(Oid{9}));
  EXPECT_TRUE(message.cascade);
  EXPECT_FALSE(message.restart_identity);
  EXPECT_EQ(ToInteger(*message.xid), 55u);
}

TEST(DecodeTruncate, RelationCountBeyondTheMessageAllocatesNothing) {
  const std::string bytes = test::PgoutputBytes().Char('T').U32(0xffff'ffff).U8(0).U32(1).Take();
  TruncateMessage message;
  const absl::Status status = DecodeTruncate(bytes, false, message);
  EXPECT_THAT(status.message(), HasSubstr("relation count"));
  EXPECT_EQ(message.relations.capacity(), 0u);
}

TEST(DecodeMessage, TransactionalMsg02) {
  const std::string bytes = test::MessageBytes({true, 0x55, "pfx", "hello"});
  LogicalMessage message;
  ASSERT_TRUE(DecodeMessage(bytes, false, message).ok());
  EXPECT_TRUE(message.transactional);
  EXPECT_EQ(message.lsn, Lsn(0x55));
  EXPECT_EQ(message.prefix, "pfx");
  EXPECT_EQ(message.content, "hello");
}

TEST(DecodeMessage, EmptyContentAndBinaryContentMsg09) {
  LogicalMessage message;
  ASSERT_TRUE(DecodeMessage(test::MessageBytes({false, 1, "p", ""}), false, message).ok());
  EXPECT_FALSE(message.transactional);
  EXPECT_TRUE(message.content.empty());
  const std::string zeroes("\0\0", 2);
  const std::string bytes = test::MessageBytes({true, 1, "", zeroes}, 3);
  ASSERT_TRUE(DecodeMessage(bytes, true, message).ok());
  EXPECT_EQ(message.content, zeroes);
  EXPECT_EQ(ToInteger(*message.xid), 3u);
}

TEST(DecodeStream, StartAndStop) {
  StreamStartMessage start;
  ASSERT_TRUE(DecodeStreamStart(test::StreamStartBytes(12, true), start).ok());
  EXPECT_EQ(ToInteger(start.xid), 12u);
  EXPECT_TRUE(start.first_segment);
  ASSERT_TRUE(DecodeStreamStart(test::StreamStartBytes(12, false), start).ok());
  EXPECT_FALSE(start.first_segment);
  StreamStopMessage stop;
  EXPECT_TRUE(DecodeStreamStop(test::StreamStopBytes(), stop).ok());
}

TEST(DecodeStream, Commit) {
  StreamCommitMessage message;
  ASSERT_TRUE(DecodeStreamCommit(test::StreamCommitBytes(12, 0x10, 0x20, 99), message).ok());
  EXPECT_EQ(ToInteger(message.xid), 12u);
  EXPECT_EQ(message.commit_lsn, Lsn(0x10));
  EXPECT_EQ(message.end_lsn, Lsn(0x20));
  EXPECT_EQ(message.commit_time_us, 99);
}

TEST(DecodeStream, AbortOfASubtransactionStr03) {
  StreamAbortMessage message;
  message.abort_lsn = Lsn(1);
  ASSERT_TRUE(DecodeStreamAbort(test::StreamAbortBytes(12, 13), message).ok());
  EXPECT_EQ(ToInteger(message.xid), 12u);
  EXPECT_EQ(ToInteger(message.subtransaction), 13u);
  EXPECT_FALSE(message.abort_lsn.has_value());
  EXPECT_FALSE(message.abort_time_us.has_value());
}

TEST(DecodeStream, AbortOfProtocol4Str08) {
  StreamAbortMessage message;
  ASSERT_TRUE(DecodeStreamAbort(test::ParallelStreamAbortBytes(12, 13, 0x77, 1234), message).ok());
  EXPECT_EQ(*message.abort_lsn, Lsn(0x77));
  EXPECT_EQ(*message.abort_time_us, 1234);
}

const test::PreparedSpec kPrepared = {0x10, 0x20, 1000, 42, "gid-1"};

TEST(DecodeTwoPhase, BeginPrepareAndPrepareAndStreamPrepareTpc04) {
  for (const std::string& bytes :
       {test::BeginPrepareBytes(kPrepared), test::PrepareBytes(kPrepared),
        test::StreamPrepareBytes(kPrepared)}) {
    PrepareMessage message;
    const absl::Status status = bytes[0] == 'b'   ? DecodeBeginPrepare(bytes, message)
                                : bytes[0] == 'P' ? DecodePrepare(bytes, message)
                                                  : DecodeStreamPrepare(bytes, message);
    ASSERT_TRUE(status.ok()) << status;
    EXPECT_EQ(message.prepare_lsn, Lsn(0x10));
    EXPECT_EQ(message.end_lsn, Lsn(0x20));
    EXPECT_EQ(message.prepare_time_us, 1000);
    EXPECT_EQ(ToInteger(message.xid), 42u);
    EXPECT_EQ(message.gid, "gid-1");
  }
}

TEST(DecodeTwoPhase, CommitPreparedTpc04) {
  const std::string bytes = test::CommitPreparedBytes(kPrepared);
  CommitPreparedMessage message;
  ASSERT_TRUE(DecodeCommitPrepared(bytes, message).ok());
  EXPECT_EQ(message.commit_lsn, Lsn(0x10));
  EXPECT_EQ(message.end_lsn, Lsn(0x20));
  EXPECT_EQ(message.commit_time_us, 1000);
  EXPECT_EQ(message.gid, "gid-1");
}

TEST(DecodeTwoPhase, RollbackPreparedTpc04) {
  const std::string bytes = test::RollbackPreparedBytes(kPrepared, 2000);
  RollbackPreparedMessage message;
  ASSERT_TRUE(DecodeRollbackPrepared(bytes, message).ok());
  EXPECT_EQ(message.prepare_end_lsn, Lsn(0x10));
  EXPECT_EQ(message.rollback_end_lsn, Lsn(0x20));
  EXPECT_EQ(message.prepare_time_us, 1000);
  EXPECT_EQ(message.rollback_time_us, 2000);
  EXPECT_EQ(ToInteger(message.xid), 42u);
  EXPECT_EQ(message.gid, "gid-1");
}

TEST(MessageKind, EveryOtherByteIsNoKind) {
  int known = 0;
  for (int byte = 0; byte < 256; ++byte) {
    const char payload = static_cast<char>(byte);
    if (KindOf({&payload, 1})) ++known;
  }
  EXPECT_EQ(known, 19);
  EXPECT_FALSE(KindOf("").has_value());
  EXPECT_EQ(KindName(*KindOf("S")), "StreamStart");
}

}  // namespace
}  // namespace walduct::pgoutput
