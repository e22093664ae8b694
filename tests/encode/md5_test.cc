#include "encode/values/md5.h"

#include <gmock/gmock.h>

#include "absl/strings/escaping.h"
#include "base/error.h"

namespace walduct::encode {
namespace {

std::string Hex(absl::string_view message) {
  const auto digest = Md5(message);
  if (!digest.ok()) return digest.status().ToString();
  return absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(digest->data()), digest->size()));
}

// RFC 1321, A.5.
TEST(Md5, DigestsOfTheRfc) {
  EXPECT_EQ(Hex(""), "d41d8cd98f00b204e9800998ecf8427e");
  EXPECT_EQ(Hex("message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
  EXPECT_EQ(Hex("12345678901234567890123456789012345678901234567890123456789012345678901234567890"),
            "57edf4a22be3c955ac49da2e2107b67a");
}

TEST(Md5, ARefusalSaysWhatToDo) {
  const absl::Status status = Md5("", "provider=none").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(ErrorReason(status), "md5_refused");
  EXPECT_THAT(ErrorHint(status), testing::HasSubstr("column.exclude.list"));
}

}  // namespace
}  // namespace walduct::encode
