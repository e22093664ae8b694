#include "http/listener.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "http/client.h"

namespace walduct::http {
namespace {

using testing::HasSubstr;

class Echo final : public Handler {
 public:
  Response Handle(const Request& request) override {
    std::string query;
    for (const auto& [name, value] : request.query) absl::StrAppend(&query, name, "=", value, ";");
    return {.status = request.path == "/gone" ? 404 : 200,
            .content_type = "text/plain",
            .body = absl::StrCat(request.method, " ", request.path, " ", query)};
  }
};

class ListenerTest : public testing::Test {
 protected:
  std::string base() const { return "http://" + listener_->address().ToString(); }
  Response Ask(const std::string& path) {
    absl::StatusOr<Response> response = Get(base(), path, absl::Seconds(5));
    EXPECT_TRUE(response.ok()) << response.status();
    return response.value_or(Response{});
  }

  Echo echo_;
  std::unique_ptr<Listener> listener_ = *Listener::Open({.host = "127.0.0.1", .port = 0}, &echo_);
};

TEST_F(ListenerTest, AnswersWithStatusAndBody) {
  const Response response = Ask("/here?a=1&b=%20x");
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.body, "GET /here a=1;b= x;");
  EXPECT_EQ(Ask("/gone").status, 404);
}

TEST_F(ListenerTest, ThePathStaysAsItWasSent) {
  EXPECT_THAT(Ask("/a%2Fb/c").body, HasSubstr("/a%2Fb/c"));
}

TEST_F(ListenerTest, APortIsNotShared) {
  const auto second = Listener::Open(listener_->address(), &echo_);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(ErrorReason(second.status()), "listen_failed");
  EXPECT_THAT(std::string(second.status().message()), HasSubstr(listener_->address().ToString()));
}

TEST_F(ListenerTest, AnUnknownHostIsRefused) {
  EXPECT_FALSE(Listener::Open({.host = "no.such.host.invalid", .port = 1}, &echo_).ok());
}

TEST_F(ListenerTest, EndsWithItsObject) {
  const std::string place = base();
  listener_.reset();
  const auto response = Get(place, "/", absl::Seconds(5));
  EXPECT_EQ(ErrorReason(response.status()), "status_unreachable");
}

TEST(Client, RefusesWhatIsNoUrl) {
  for (const char* base : {"", "127.0.0.1:1", "https://a:1", "http://", "http://a:1/path"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(Get(base, "/", absl::Seconds(1)).status())) << base;
  }
}

TEST(Percent, EncodesAndDecodes) {
  EXPECT_EQ(DecodePercent("a%2Fb%zz%4"), "a/b%zz%4");
  EXPECT_EQ(EncodePercent("a b/\xC3\xA9"), "a%20b%2F%C3%A9");
  EXPECT_EQ(DecodePercent(EncodePercent("%{}\\?#")), "%{}\\?#");
}

}  // namespace
}  // namespace walduct::http
