#include "security/jaas.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace walduct::security {
namespace {

TEST(JaasTest, QuotesEscapesAndSpacing) {
  const auto entry = ParseJaas(
      "  a.b.PlainLoginModule   required\n username='o\\'k' password = \"p;= \\\\\"  serviceName=k "
      "; ");
  ASSERT_TRUE(entry.ok()) << entry.status();
  EXPECT_EQ(entry->module, "PlainLoginModule");
  EXPECT_EQ(entry->options.at("username"), "o'k");
  EXPECT_EQ(entry->options.at("password"), "p;= \\");
  EXPECT_EQ(entry->options.at("serviceName"), "k");
}

TEST(JaasTest, TheSemicolonMayBeMissing) {
  const auto entry = ParseJaas("PlainLoginModule required username=u password=p");
  ASSERT_TRUE(entry.ok());
  EXPECT_EQ(entry->options.at("password"), "p");
}

TEST(JaasTest, MalformedTextIsRefusedWithoutQuotingIt) {
  for (const char* text : {"", "Module", "Module required username",
                           "Module required s3cret=", "Module required password=\"s3cret"}) {
    const absl::Status status = ParseJaas(text).status();
    EXPECT_TRUE(absl::IsInvalidArgument(status)) << text;
    EXPECT_THAT(std::string(status.message()), testing::Not(testing::HasSubstr("s3cret")));
  }
}

}  // namespace
}  // namespace walduct::security
