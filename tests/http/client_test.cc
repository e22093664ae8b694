// What a client refuses before it sends anything.
#include "http/client.h"

#include <gmock/gmock.h>

#include "base/check.h"
#include "base/error.h"

namespace walduct::http {
namespace {

// As a libcurl that has not heard of the option.
CURLcode SetAllButSigning(CURL*, CURLoption option, ...) {
  return option == CURLOPT_AWS_SIGV4 ? CURLE_UNKNOWN_OPTION : CURLE_OK;
}

TEST(HttpClientTest, ALibcurlThatDoesNotSignIsRefused) {
  const auto loaded = CurlLibrary::Load();
  CHECK(loaded.ok());
  CurlLibrary old = **loaded;
  old.easy_setopt = SetAllButSigning;
  const absl::Status refused = Client::Create({.sigv4 = "aws:amz:r:kinesis"}, old).status();
  EXPECT_TRUE(absl::IsFailedPrecondition(refused)) << refused;
  EXPECT_EQ(ErrorReason(refused), "libcurl_too_old");
  EXPECT_THAT(ErrorHint(refused), testing::HasSubstr("7.75"));
  EXPECT_TRUE(Client::Create({}, old).ok()) << "who signs nothing needs none";
  EXPECT_TRUE(Client::Create({.sigv4 = "aws:amz:r:kinesis"}, **loaded).ok());
}

}  // namespace
}  // namespace walduct::http
