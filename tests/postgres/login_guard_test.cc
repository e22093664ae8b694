#include "postgres/guards/login_guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "base/error.h"

namespace walduct::postgres {
namespace {

using ::testing::HasSubstr;

std::string Number(uint32_t value) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes.push_back(static_cast<char>(value >> shift));
  return bytes;
}

std::string Message(char type, const std::string& body) {
  return type + Number(static_cast<uint32_t>(body.size() + 4)) + body;
}

std::string Challenge(const std::string& iterations) {
  return Message('R', absl::StrCat(Number(11), "r=abc,s=QSXCR+Q6sek8bf92,i=", iterations));
}

// False: a message has begun and not ended.
absl::StatusOr<bool> MayLogIn(absl::string_view bytes) {
  const absl::Status status = CheckMessages(&bytes);
  return status.ok() ? absl::StatusOr<bool>(bytes.empty()) : status;
}

TEST(LoginGuardTest, WhatServersAskForIsLetPass) {
  for (const char* iterations : {"1", "4096", "1000000"})
    EXPECT_TRUE(MayLogIn(Challenge(iterations)).value()) << iterations;
  EXPECT_TRUE(MayLogIn("").value());
  EXPECT_TRUE(MayLogIn(Message('R', Number(0)) + Message('Z', "I")).value());
}

TEST(LoginGuardTest, RoundsWithoutEndAreRefused) {
  for (const char* iterations : {"1000001", "2147483647"}) {
    const absl::Status refused = MayLogIn(Challenge(iterations)).status();
    EXPECT_EQ(ErrorReason(refused), "scram_iterations");
    EXPECT_THAT(std::string(refused.message()), HasSubstr(iterations));
  }
}

TEST(LoginGuardTest, AlsoBehindOtherMessages) {
  const std::string before = Message('N', "hello") + Message('R', Number(10) + "SCRAM-SHA-256");
  EXPECT_EQ(ErrorReason(MayLogIn(before + Challenge("2147483647")).status()), "scram_iterations");
}

TEST(LoginGuardTest, APieceOfAMessageIsNotHandedOn) {
  const std::string whole = Challenge("2147483647");
  for (size_t size = 1; size < whole.size(); ++size)
    EXPECT_FALSE(MayLogIn(whole.substr(0, size)).value()) << size;
}

TEST(LoginGuardTest, WhatIsNoLoginIsLeftToTheClientLibrary) {
  EXPECT_TRUE(MayLogIn("HTTP/1.1 400 Bad Request").value());
  EXPECT_TRUE(MayLogIn(std::string("R\0\0\0\1", 5)).value());
}

}  // namespace
}  // namespace walduct::postgres
