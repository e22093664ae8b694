#include "sink/size_error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "base/error.h"

namespace walduct::sink {
namespace {

using testing::HasSubstr;

absl::Status TooLarge() {
  return Error(absl::StatusCode::kInvalidArgument, "record_too_large",
               "topic t: Broker: Message size too large (MSG_SIZE_TOO_LARGE)", "raise it");
}

constexpr absl::string_view kTool =
    "kafka-configs.sh --bootstrap-server k:9092 --alter --entity-type topics --entity-name t "
    "--add-config max.message.bytes=4194304";

TEST(SizeError, NamesWhoseLimitItIsAndBothValues) {
  const absl::Status by_client = WithSize(
      TooLarge(), {.topic = "t", .servers = "k:9092", .bytes = 3'200'000, .by_client = true});
  EXPECT_THAT(std::string(by_client.message()),
              HasSubstr("larger than the producer's max.request.size allows: 3200000 bytes"));
  EXPECT_THAT(ErrorHint(by_client), HasSubstr("set producer.override.max.request.size=4194304; "));
  EXPECT_THAT(ErrorHint(by_client), HasSubstr(kTool));
}

TEST(SizeError, ABrokersOwnWordsStay) {
  const absl::Status by_broker =
      WithSize(TooLarge(), {.topic = "t", .servers = "k:9092", .bytes = 3'200'000});
  EXPECT_THAT(std::string(by_broker.message()),
              HasSubstr("Broker: Message size too large (MSG_SIZE_TOO_LARGE): 3200000 bytes"));
  EXPECT_EQ(ErrorHint(by_broker), absl::StrCat("the topic takes it with: ", kTool));
}

// A limit for that record alone would refuse the next batch.
TEST(SizeError, ATopicIsGivenNoLessThanBatchesNeed) {
  const absl::Status small = WithSize(TooLarge(), {.topic = "t", .servers = "k:9092", .bytes = 90});
  EXPECT_THAT(ErrorHint(small), testing::EndsWith("max.message.bytes=1048588"));
}

TEST(SizeError, OfOtherRefusalsTheSizeAlone) {
  const absl::Status refused =
      WithSize(Error(absl::StatusCode::kInvalidArgument, "record_refused", "no key", "give one"),
               {.topic = "t", .servers = "k:9092", .bytes = 7});
  EXPECT_EQ(refused.message(), "no key: 7 bytes of key and value");
  EXPECT_EQ(ErrorHint(refused), "give one");
  const absl::Status away = absl::UnavailableError("away");
  EXPECT_EQ(WithSize(away, {.topic = "t", .servers = "k:9092", .bytes = 7}), away);
}

}  // namespace
}  // namespace walduct::sink
