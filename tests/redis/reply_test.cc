#include "redis/reply.h"

#include <gtest/gtest.h>

namespace walduct::redis {
namespace {

TEST(ReplyReader, ReadsNestedAnswersByteByByte) {
  constexpr absl::string_view kBytes =
      "+OK\r\n*2\r\n*2\r\n$3\r\n1-1\r\n*-1\r\n:7\r\n-OOM no room\r\n$-1\r\n";
  ReplyReader reader;
  std::vector<std::string> seen;
  for (const char byte : kBytes) {
    reader.Feed({&byte, 1});
    const auto reply = reader.Next();
    ASSERT_TRUE(reply.ok());
    if (*reply == nullptr) continue;
    std::string text;
    for (const Reply::Value& value : (*reply)->values())
      text += std::to_string(static_cast<int>(value.type)) + ":" +
              std::string(value.type == Reply::Type::kArray ? "" : (*reply)->Text(value)) + " ";
    seen.push_back(text);
  }
  EXPECT_EQ(seen,
            (std::vector<std::string>{"1:OK ", "4: 4: 0:1-1 5: 3: ", "2:OOM no room ", "5: "}));
}

TEST(ReplyReader, SaysThatItIsNoRedis) {
  ReplyReader reader;
  reader.Feed("HTTP/1.1 400 Bad Request\r\n");
  EXPECT_TRUE(absl::IsUnavailable(reader.Next().status()));
}

}  // namespace
}  // namespace walduct::redis
