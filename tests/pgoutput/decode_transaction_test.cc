#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "pgoutput/decode.h"
#include "tests/support/pgoutput_builder.h"

namespace walduct::pgoutput {
namespace {

using ::testing::HasSubstr;

// Written byte by byte from the documentation, so that the builders are not their own witness.
TEST(DecodeBegin, HandWrittenBytes) {
  const char bytes[] =
      "B"
      "\x00\x00\x00\x16\xB3\x74\xD8\x48"  // final LSN
      "\x00\x02\x05\x0A\x0D\xC5\xA6\x40"  // commit time
      "\x00\x00\x03\xE9";
  BeginMessage message;
  ASSERT_TRUE(DecodeBegin({bytes, sizeof(bytes) - 1}, message).ok());
  EXPECT_EQ(message.final_lsn.ToString(), "16/B374D848");
  EXPECT_EQ(message.commit_time_us, 946'684'800'000'000 + 0x0002050A0DC5A640);
  EXPECT_EQ(ToInteger(message.xid), 1001u);
}

TEST(DecodeBegin, TimesBeforeAndAfterPostgresEpoch) {
  BeginMessage message;
  ASSERT_TRUE(DecodeBegin(test::BeginBytes(1, 0, 1), message).ok());
  EXPECT_EQ(message.commit_time_us, 0);
  ASSERT_TRUE(DecodeBegin(test::BeginBytes(1, 1'795'224'383'134'597, 1), message).ok());
  EXPECT_EQ(message.commit_time_us, 1'795'224'383'134'597);
}

TEST(DecodeBegin, TimeOutOfRangeIsDataLoss) {
  const std::string bytes =
      test::PgoutputBytes().Char('B').U64(1).U64(0x7fff'ffff'ffff'ffff).U32(1).Take();
  BeginMessage message;
  const absl::Status status = DecodeBegin(bytes, message);
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(status.message(), HasSubstr("commit time at offset 17 is out of range"));
}

TEST(DecodeCommit, Fields) {
  CommitMessage message;
  ASSERT_TRUE(DecodeCommit(test::CommitBytes(0x100, 0x130, 7), message).ok());
  EXPECT_EQ(message.commit_lsn, Lsn(0x100));
  EXPECT_EQ(message.end_lsn, Lsn(0x130));
  EXPECT_EQ(message.commit_time_us, 7);
}

TEST(DecodeCommit, ReservedFlagsAreRefused) {
  std::string bytes = test::CommitBytes(1, 2, 3);
  bytes[1] = 1;
  CommitMessage message;
  const absl::Status status = DecodeCommit(bytes, message);
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(status.message(), HasSubstr("flags"));
}

TEST(DecodeOrigin, NameAndLsnOrg01) {
  const std::string bytes = test::OriginBytes(74565, "upstream");
  OriginMessage message;
  ASSERT_TRUE(DecodeOrigin(bytes, message).ok());
  EXPECT_EQ(message.commit_lsn, Lsn(74565));
  EXPECT_EQ(message.name, "upstream");
  EXPECT_EQ(message.name.data(), bytes.data() + 9) << "the name was copied";
}

TEST(DecodeErrors, SayKindSizeOffsetAndProblem) {
  BeginMessage message;
  const absl::Status status = DecodeBegin("B123", message);
  EXPECT_EQ(ErrorReason(status), "malformed_message");
  EXPECT_THAT(status.message(),
              HasSubstr("Begin message of 4 bytes is malformed: final LSN at offset 1 reaches past "
                        "the end"));
}

TEST(DecodeErrors, AMessageOfAnotherKindIsRefused) {
  CommitMessage message;
  const absl::Status status = DecodeCommit(test::BeginBytes(1, 2, 3), message);
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(status.message(), HasSubstr("kind at offset 1 is of another message"));
}

TEST(DecodeErrors, BytesBehindTheMessageAreRefused) {
  BeginMessage message;
  const absl::Status status = DecodeBegin(test::BeginBytes(1, 2, 3) + "x", message);
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(status.message(), HasSubstr("end at offset 21 is followed by more bytes"));
}

}  // namespace
}  // namespace walduct::pgoutput
