#include "security/tls_protocol.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace walduct::security {
namespace {

TEST(TlsProtocolTest, JavasNamesOfCipherSuitesBecomeOpenSsls) {
  EXPECT_EQ(*OpenSslCiphers("TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,"
                            " TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256"),
            "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305");
  EXPECT_EQ(*OpenSslCiphers("SSL_RSA_WITH_AES_128_CBC_SHA"), "AES128-SHA");
  EXPECT_EQ(*OpenSslCiphers("ECDHE-RSA-AES256-GCM-SHA384:HIGH"),
            "ECDHE-RSA-AES256-GCM-SHA384:HIGH");
  EXPECT_EQ(*OpenSslCiphers("TLS_AES_256_GCM_SHA384"), "") << "TLS 1.3 is always offered";
  EXPECT_EQ(ErrorReason(OpenSslCiphers("TLS_RSA_WITH_NOTHING_SHA").status()),
            "kafka_property_invalid");
}

TEST(TlsProtocolTest, WhatCannotBeKeptOfTheProtocolsIsSaid) {
  EXPECT_EQ(*CheckProtocols("TLSv1.2,TLSv1.3"), "");
  EXPECT_EQ(*CheckProtocols("TLSv1.1, TLSv1.2, TLSv1.3"), "");
  EXPECT_THAT(*CheckProtocols("TLSv1.2"), testing::HasSubstr("TLSv1.3 is offered"));
  EXPECT_THAT(*CheckProtocols("TLSv1.3"), testing::HasSubstr("TLSv1.2 is offered"));
  EXPECT_EQ(ErrorReason(CheckProtocols("TLSv1,TLSv1.1").status()), "kafka_property_invalid");
}

}  // namespace
}  // namespace walduct::security
