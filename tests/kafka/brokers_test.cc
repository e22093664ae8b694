#include "kafka/brokers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/string_view.h"

namespace walduct::kafka {
namespace {

using ::testing::HasSubstr;

TEST(BrokersTest, WhatIsAList) {
  for (const absl::string_view list :
       {"localhost:9092", "a:1, b:2", "kafka", "[::1]:9092", "::1:9092", "::1", "SASL_SSL://k:9093",
        "fe80::1%eth0:9092", "[fe80::1%eth0]:9092,k:9092", ""})
    EXPECT_EQ(CheckBrokers(list), "") << list;
}

TEST(BrokersTest, WhatIsNone) {
  EXPECT_THAT(CheckBrokers("[::1:9092"), HasSubstr("bracket is not closed"));
  EXPECT_THAT(CheckBrokers("[::1]:x"), HasSubstr("no port number"));
  EXPECT_THAT(CheckBrokers("a:1,k:x"), HasSubstr("no port number"));
  EXPECT_THAT(CheckBrokers("k:99999"), HasSubstr("no port number"));
  EXPECT_THAT(CheckBrokers("[kafka]:9092"), HasSubstr("no address of IPv6"));
  EXPECT_THAT(CheckBrokers("a:1:2"), HasSubstr("needs brackets"));
}

// As Java's clients understand it.
TEST(BrokersTest, AddressesWithoutBracketsGetThem) {
  EXPECT_EQ(BrokersForLibrdkafka("::1:9092"), "[::1]:9092");
  EXPECT_EQ(BrokersForLibrdkafka("SSL://2001:db8::7:9093, k:9092"),
            "SSL://[2001:db8::7]:9093, k:9092");
  EXPECT_EQ(BrokersForLibrdkafka("fe80::1%eth0:9092"), "[fe80::1%eth0]:9092");
  for (const absl::string_view same : {"[::1]:9092", "::1", "2001:db8::7", "k:9092,l", ""})
    EXPECT_EQ(BrokersForLibrdkafka(same), same);
}

}  // namespace
}  // namespace walduct::kafka
