#include "security/pem_text.h"

#include <gtest/gtest.h>

#include <string>

namespace walduct::security {
namespace {

const std::string kLine(64, 'A');
const std::string kOne =
    "-----BEGIN CERTIFICATE-----\n" + kLine + "\nBB==\n" + "-----END CERTIFICATE-----\n";

TEST(PemTextTest, WhateverStandsBetweenIsLaidOutAnew) {
  for (const std::string between : {" ", "\n", "\r\n", "\\n", "\\r\\n", "  "}) {
    EXPECT_EQ(NormalizePem("-----BEGIN CERTIFICATE-----" + between + kLine + between +
                           "BB==" + between + "-----END CERTIFICATE-----"),
              kOne);
  }
  EXPECT_EQ(NormalizePem("-----BEGIN CERTIFICATE-----" + kLine + "BB==-----END CERTIFICATE-----"),
            kOne);
}

TEST(PemTextTest, AChainKeepsItsOrderAndLosesWhatIsBetween) {
  const std::string key = "-----BEGIN PRIVATE KEY-----\nCC==\n-----END PRIVATE KEY-----\n";
  EXPECT_EQ(NormalizePem("subject=x " + kOne + " " + key + kOne), kOne + key + kOne);
}

TEST(PemTextTest, HeadersKeepTheirLines) {
  const std::string key =
      "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nAA==\n"
      "-----END RSA PRIVATE KEY-----\n";
  EXPECT_EQ(NormalizePem(key), key);
}

TEST(PemTextTest, WhatIsNoPemStaysAsItIs) {
  for (const char* text : {"", "PEM", "-----BEGIN X", "-----BEGIN X-----", "-----BEGIN X-----AA"})
    EXPECT_EQ(NormalizePem(text), text);
}

}  // namespace
}  // namespace walduct::security
