#include "http/listener.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <string>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/synchronization/notification.h"
#include "base/error.h"
#include "http/client.h"

namespace walduct::http {
namespace {

using testing::HasSubstr;

class Echo final : public Handler {
 public:
  Response Handle(const Request& request) override {
    if (request.path == "/slow") {
      is_there.Notify();
      may_go_on.WaitForNotification();
    }
    std::string query;
    for (const auto& [name, value] : request.query) absl::StrAppend(&query, name, "=", value, ";");
    return {.status = request.path == "/gone" ? 404 : 200,
            .content_type = "text/plain",
            .body = absl::StrCat(request.method, " ", request.path, " ", query, request.body)};
  }

  absl::Notification is_there, may_go_on;  // of "/slow"
};

// A connection on which the test writes what it likes.
class RawClient {
 public:
  explicit RawClient(int port) {
    sockaddr_in place = {};
    place.sin_family = AF_INET;
    place.sin_port = htons(static_cast<uint16_t>(port));
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(connect(socket_, reinterpret_cast<const sockaddr*>(&place), sizeof place), 0);
  }
  ~RawClient() { close(socket_); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  void Send(absl::string_view bytes) const {
    send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
  }
  // All that comes until the other side closes, or what is waited for has come.
  std::string ReceiveUntil(absl::string_view wanted) const {
    std::string received;
    char bytes[4096];
    while (!absl::StrContains(received, wanted)) {
      const ssize_t count = recv(socket_, bytes, sizeof bytes, 0);
      if (count <= 0) break;
      received.append(bytes, static_cast<size_t>(count));
    }
    return received;
  }

 private:
  const int socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
};

class ListenerTest : public testing::Test {
 protected:
  std::string base() const { return "http://" + listener_->address().ToString(); }
  Response Ask(const std::string& path) {
    absl::StatusOr<Response> response = Get({base()}, path, absl::Seconds(5));
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

TEST_F(ListenerTest, SeveralRequestsOfAConnectionWithBodies) {
  const RawClient client(listener_->address().port);
  client.Send("POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhe");
  client.Send("llo");
  EXPECT_THAT(client.ReceiveUntil("hello"), HasSubstr("POST /a hello"));
  client.Send(
      "PATCH /b HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n0\r\n\r\n");
  EXPECT_THAT(client.ReceiveUntil("one"), HasSubstr("PATCH /b one"));
  client.Send("HEAD /c HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(client.ReceiveUntil("\r\n\r\n"), HasSubstr("HTTP/1.1 200 OK"));
}

TEST_F(ListenerTest, ABodyThatIsTooLargeIsRefused) {
  const RawClient told(listener_->address().port);
  told.Send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n");
  EXPECT_THAT(told.ReceiveUntil("\r\n\r\n"), HasSubstr("HTTP/1.1 413"));
  const RawClient untold(listener_->address().port);
  untold.Send("POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n200000\r\n");
  const std::string part(64 << 10, 'x');
  for (size_t sent = 0; sent < Listener::kMaxBodyBytes + part.size(); sent += part.size())
    untold.Send(part);
  EXPECT_EQ(untold.ReceiveUntil("\r\n\r\n"), "");
}

TEST_F(ListenerTest, ASlowAnswerHoldsUpNobodyElse) {
  const RawClient slow(listener_->address().port);
  slow.Send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n");
  echo_.is_there.WaitForNotification();
  EXPECT_EQ(Ask("/quick").status, 200);
  echo_.may_go_on.Notify();
  EXPECT_THAT(slow.ReceiveUntil("/slow"), HasSubstr("GET /slow"));
}

TEST_F(ListenerTest, AnswersWhatIsUnderWayBeforeItEnds) {
  const RawClient slow(listener_->address().port);
  slow.Send("GET /slow HTTP/1.1\r\nHost: x\r\n\r\n");
  echo_.is_there.WaitForNotification();
  std::thread end([this] { listener_.reset(); });
  echo_.may_go_on.Notify();
  EXPECT_THAT(slow.ReceiveUntil("/slow"), HasSubstr("GET /slow"));
  end.join();
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
  const auto response = Get({place}, "/", absl::Seconds(5));
  EXPECT_EQ(ErrorReason(response.status()), "status_unreachable");
  EXPECT_THAT(ErrorHint(response.status()), HasSubstr("never started"));
}

// As a process that is suspended: the connection is made, and nothing comes.
TEST(Client, TellsSilenceFromNobody) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  ASSERT_EQ(::bind(socket, reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(socket, 1), 0);
  ASSERT_EQ(::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size), 0);
  const absl::Status status = Get({absl::StrCat("http://127.0.0.1:", ntohs(address.sin_port))}, "/",
                                  absl::Milliseconds(200))
                                  .status();
  EXPECT_EQ(ErrorReason(status), "status_unreachable");
  EXPECT_THAT(ErrorHint(status), HasSubstr("kill -CONT"));
  ::close(socket);
}

TEST(Client, RefusesWhatIsNoUrl) {
  for (const char* base : {"", "127.0.0.1:1", "ftp://a:1", "http://", "http://a:1/path"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(Get({base}, "/", absl::Seconds(1)).status())) << base;
  }
}

TEST(Client, RefusesWhatIsNoPort) {
  for (const char* const place : {"h:99999", "h:0", "h:x", "a:b@h:", "[::1]:65536"}) {
    const auto answer = Get({.url = absl::StrCat("http://", place)}, "/", absl::Seconds(1));
    EXPECT_TRUE(absl::IsInvalidArgument(answer.status())) << place << answer.status();
  }
}

TEST(Client, NeverSaysThePassword) {
  const absl::Status status =
      Get({"https://me:secret@127.0.0.1:1"}, "/", absl::Seconds(1)).status();
  EXPECT_EQ(ErrorReason(status), "status_unreachable");
  EXPECT_THAT(std::string(status.message()), HasSubstr("https://127.0.0.1:1:"));
}

TEST_F(ListenerTest, AKeyOfNoUseIsRefused) {
  const ServerTls tls = {.key_pem = "no key", .chain_pem = "no certificate"};
  const auto listener = Listener::Open({.host = "127.0.0.1", .port = 0}, &echo_, &tls);
  EXPECT_EQ(ErrorReason(listener.status()), "listener_tls");
}

}  // namespace
}  // namespace walduct::http
