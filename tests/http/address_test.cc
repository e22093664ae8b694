#include "http/address.h"

#include <gtest/gtest.h>

#include <string>

namespace walduct::http {
namespace {

TEST(ParseAddress, HostAndPort) {
  const Address address = *ParseAddress("127.0.0.1:8083");
  EXPECT_EQ(address.host, "127.0.0.1");
  EXPECT_EQ(address.port, 8083);
  EXPECT_EQ(address.ToString(), "127.0.0.1:8083");
}

TEST(ParseAddress, Ipv6StandsInBrackets) {
  const Address address = *ParseAddress("[::1]:80");
  EXPECT_EQ(address.host, "::1");
  EXPECT_EQ(address.ToString(), "[::1]:80");
  EXPECT_FALSE(ParseAddress("::1:80").ok());
}

TEST(ParseAddress, NoHostIsEveryAddress) { EXPECT_EQ(ParseAddress(":8083")->host, "0.0.0.0"); }

TEST(ParseAddress, WhatIsWrongIsRefused) {
  for (const char* text : {"", "host", "host:", "host:x", "host:-1", "host:65536", "host:+1",
                           "http://host:1", "a b:1", "[::1:1", "user@host:1"}) {
    EXPECT_FALSE(ParseAddress(text).ok()) << text;
  }
}

}  // namespace
}  // namespace walduct::http
