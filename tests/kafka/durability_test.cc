#include "kafka/durability.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "kafka/producer.h"

namespace walduct::kafka {
namespace {

using testing::HasSubstr;

// What our own rules and these of the operator finally make of it.
absl::Status Checked(const Properties& java) {
  const absl::StatusOr<Properties> native = ProducerProperties(java, {});
  return native.ok() ? CheckDurable(*native, "") : native.status();
}

TEST(DurabilityTest, OursHolds) {
  EXPECT_TRUE(Checked({}).ok());
  EXPECT_TRUE(Checked({{"acks", "-1"}, {"enable.idempotence", "false"}}).ok());
  EXPECT_TRUE(Checked({{"rdkafka.acks", "all"}, {"rdkafka.linger.ms", "3"}}).ok());
  EXPECT_TRUE(Checked({{"request.required.acks", "all"}}).ok());
}

struct Bad {
  std::string name, value, named;
};
class DurabilityBadTest : public testing::TestWithParam<Bad> {};

TEST_P(DurabilityBadTest, IsRefusedWhateverItIsCalled) {
  const absl::Status status = Checked({{GetParam().name, GetParam().value}});
  EXPECT_EQ(ErrorReason(status), "kafka_property_invalid");
  EXPECT_THAT(std::string(status.message()), HasSubstr(GetParam().named));
  EXPECT_FALSE(Producer::Create({.bootstrap_servers = "localhost:1",
                                 .java = {{GetParam().name, GetParam().value}},
                                 .rules = {},
                                 .environment = Environment::Real()})
                   .ok());
}

INSTANTIATE_TEST_SUITE_P(
    Spellings, DurabilityBadTest,
    testing::Values(
        Bad{"acks", "1", "acks"}, Bad{"request.required.acks", "1", "request.required.acks=1"},
        Bad{"rdkafka.acks", "0", "request.required.acks=0"},
        Bad{"rdkafka.request.required.acks", "1", "request.required.acks=1"},
        Bad{"rdkafka.enable.idempotence", "false", "max.in.flight.requests.per.connection=5"},
        Bad{"rdkafka.max.in.flight.requests.per.connection", "100", "from 1 to 5"},
        Bad{"rdkafka.retries", "0", "message.send.max.retries=0"},
        Bad{"rdkafka.message.send.max.retries", "0", "message.send.max.retries=0"},
        Bad{"rdkafka.queuing.strategy", "lifo", "queuing.strategy=lifo"},
        Bad{"rdkafka.delivery.report.only.error", "true", "delivery.report.only.error=true"},
        Bad{"rdkafka.test.mock.num.brokers", "1", "test.mock.num.brokers=1"},
        Bad{"rdkafka.transactional.id", "t", "transactional.id=t"}));

}  // namespace
}  // namespace walduct::kafka
