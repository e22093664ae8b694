#include "replication/frame.h"

#include <gtest/gtest.h>

#include <string>

#include "base/error.h"

namespace walduct::replication {
namespace {

std::string Bytes(std::initializer_list<int> bytes) {
  std::string out;
  for (const int byte : bytes) out.push_back(static_cast<char>(byte));
  return out;
}

const std::string kData = "w" + Bytes({0, 0, 0, 1, 0, 0, 0, 2}) + Bytes({0, 0, 0, 3, 0, 0, 0, 4}) +
                          Bytes({0, 0, 0, 0, 0, 0, 0, 9}) + "Bpayload";
const std::string kKeepalive =
    "k" + Bytes({0, 0, 0, 5, 0, 0, 0, 6}) + Bytes({0, 0, 0, 0, 0, 0, 0, 9}) + Bytes({1});

TEST(FrameTest, DecodesData) {
  const auto frame = DecodeFrame(kData);
  ASSERT_TRUE(frame.ok()) << frame.status();
  EXPECT_EQ(frame->kind, WalFrame::Kind::kData);
  EXPECT_EQ(frame->start.ToString(), "1/2");
  EXPECT_EQ(frame->wal_end.ToString(), "3/4");
  EXPECT_EQ(frame->payload, "Bpayload");
}

TEST(FrameTest, DecodesDataWithoutPayload) {
  const auto frame = DecodeFrame(kData.substr(0, 25));
  ASSERT_TRUE(frame.ok()) << frame.status();
  EXPECT_EQ(frame->payload, "");
}

TEST(FrameTest, DecodesKeepalive) {
  const auto frame = DecodeFrame(kKeepalive);
  ASSERT_TRUE(frame.ok()) << frame.status();
  EXPECT_EQ(frame->kind, WalFrame::Kind::kKeepalive);
  EXPECT_EQ(frame->wal_end.ToString(), "5/6");
  EXPECT_TRUE(frame->reply_requested);
}

TEST(FrameTest, FAIL19_TruncationAtEveryByteIsDataLoss) {
  for (size_t size = 0; size < 25; ++size) {
    EXPECT_TRUE(absl::IsDataLoss(DecodeFrame(kData.substr(0, size)).status())) << size;
  }
  for (size_t size = 0; size < kKeepalive.size(); ++size) {
    EXPECT_TRUE(absl::IsDataLoss(DecodeFrame(kKeepalive.substr(0, size)).status())) << size;
  }
}

TEST(FrameTest, FAIL19_UnknownKindIsDataLossWithItsBytes) {
  const absl::Status status = DecodeFrame("zab").status();
  EXPECT_EQ(ErrorReason(status), "frame_malformed");
  EXPECT_NE(std::string(status.message()).find("7a6162"), std::string::npos) << status;
}

TEST(FrameTest, EncodesStatusUpdates) {
  const auto bytes = EncodeStatusUpdate({.received = Lsn(0x0102030405060708),
                                         .flushed = Lsn(0x10),
                                         .now = absl::FromUnixSeconds(946684801),
                                         .reply_requested = true});
  const std::string expected =
      "r" + Bytes({1, 2, 3, 4, 5, 6, 7, 8}) + Bytes({0, 0, 0, 0, 0, 0, 0, 0x10}) +
      Bytes({0, 0, 0, 0, 0, 0, 0, 0x10}) + Bytes({0, 0, 0, 0, 0, 0x0f, 0x42, 0x40}) + Bytes({1});
  EXPECT_EQ(std::string(bytes.data(), bytes.size()), expected);
}

}  // namespace
}  // namespace walduct::replication
