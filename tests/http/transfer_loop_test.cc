// The loop over connections of its own: what ends, what wakes it, what it does not look at.
#include "http/transfer_loop.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/clock.h"
#include "http/listener.h"

namespace walduct::http {
namespace {

class Greeter final : public Handler {
 public:
  Response Handle(const Request& request) override { return {.body = request.path}; }
};

absl::Duration Elapsed(absl::Duration since) { return Clock::Real().Monotonic() - since; }

// File descriptors that the epolls of this process wait for.
size_t Registered() {
  size_t count = 0;
  for (const auto& file : std::filesystem::directory_iterator("/proc/self/fdinfo")) {
    std::ifstream info(file.path());
    for (std::string line; std::getline(info, line);) count += absl::StartsWith(line, "tfd:");
  }
  return count;
}

class Transfer {
 public:
  Transfer(const CurlLibrary& curl, TransferLoop* loop, const std::string& url)
      : curl_(curl), easy_(curl.easy_init()) {
    loop->Prepare(easy_);
    curl_.easy_setopt(easy_, CURLOPT_URL, url.c_str());
    curl_.easy_setopt(easy_, CURLOPT_PROXY, "");
    curl_.easy_setopt(easy_, CURLOPT_NOSIGNAL, 1L);
    curl_.easy_setopt(easy_, CURLOPT_TIMEOUT_MS, 10'000L);
    curl_.easy_setopt(easy_, CURLOPT_WRITEFUNCTION, &Transfer::Receive);
    curl_.easy_setopt(easy_, CURLOPT_WRITEDATA, this);
  }
  ~Transfer() { curl_.easy_cleanup(easy_); }
  Transfer(const Transfer&) = delete;
  Transfer& operator=(const Transfer&) = delete;

  CURL* easy() const { return easy_; }
  const std::string& body() const { return body_; }
  void EndAfter(absl::Duration time) {
    curl_.easy_setopt(easy_, CURLOPT_TIMEOUT_MS,
                      static_cast<long>(absl::ToInt64Milliseconds(time)));
  }
  // Connections that the last request made: 0 or 1.
  long connects() const {
    long count = -1;
    curl_.easy_getinfo(easy_, CURLINFO_NUM_CONNECTS, &count);
    return count;
  }

 private:
  static size_t Receive(char* bytes, size_t size, size_t count, void* self) {
    static_cast<Transfer*>(self)->body_.append(bytes, size * count);
    return size * count;
  }

  const CurlLibrary& curl_;
  CURL* const easy_;
  std::string body_;
};

class TransferLoopTest : public testing::Test {
 protected:
  void Listen(int port = 0) {
    auto listener = Listener::Open({.host = "127.0.0.1", .port = port}, &greeter_);
    CHECK(listener.ok());
    listener_ = *std::move(listener);
    base_ = "http://" + listener_->address().ToString();
  }
  std::unique_ptr<Transfer> Make(const std::string& path) {
    return std::make_unique<Transfer>(curl_, loop_.get(), base_ + path);
  }
  // Until so many have ended.
  std::vector<TransferLoop::Ended> Run(size_t count) {
    std::vector<TransferLoop::Ended> all;
    const absl::Duration begin = Clock::Real().Monotonic();
    while (all.size() < count && Elapsed(begin) < absl::Seconds(20)) {
      const auto& ended = loop_->Run(absl::Seconds(20));
      all.insert(all.end(), ended.begin(), ended.end());
    }
    return all;
  }

  const CurlLibrary& curl_ = **CurlLibrary::Load();
  std::unique_ptr<TransferLoop> loop_ = *TransferLoop::Create(curl_);
  Greeter greeter_;
  std::unique_ptr<Listener> listener_;
  std::string base_;
};

TEST_F(TransferLoopTest, SeveralAtOnceEndWithTheirAnswers) {
  Listen();
  std::vector<std::unique_ptr<Transfer>> all;
  for (int i = 0; i < 16; ++i) all.push_back(Make(absl::StrCat("/", i)));
  for (int round = 1; round <= 3; ++round) {
    for (const auto& one : all) loop_->Add(one->easy());
    const auto ended = Run(all.size());
    ASSERT_EQ(ended.size(), all.size());
    for (const auto& one : ended) EXPECT_EQ(one.code, CURLE_OK);
    for (const auto& one : all) EXPECT_LE(one->connects(), round == 1 ? 1 : 0);
  }
  for (int i = 0; i < 16; ++i) {
    const std::string path = absl::StrCat("/", i);
    EXPECT_EQ(all[static_cast<size_t>(i)]->body(), absl::StrCat(path, path, path));
  }
}

TEST_F(TransferLoopTest, AnOpenConnectionIsUsedAgainAndStaysRegistered) {
  Listen();
  const auto one = Make("/a");
  loop_->Add(one->easy());
  ASSERT_EQ(Run(1).size(), 1u);
  EXPECT_EQ(one->connects(), 1);
  const size_t registered = Registered();
  loop_.reset();
  EXPECT_EQ(Registered() + 2, registered) << "the connection, and what wakes";
  loop_ = *TransferLoop::Create(curl_);
  const auto other = Make("/b");
  for (const int connects : {1, 0}) {
    loop_->Add(other->easy());
    ASSERT_EQ(Run(1).size(), 1u);
    EXPECT_EQ(other->connects(), connects);
  }
}

// It would be readable for good. The next one mostly gets its number.
TEST_F(TransferLoopTest, AConnectionThatTheServerClosesIsNotLookedAtAgain) {
  Listen();
  const auto one = Make("/a");
  loop_->Add(one->easy());
  ASSERT_EQ(Run(1).size(), 1u);
  const int port = listener_->address().port;
  listener_.reset();
  loop_->Run(absl::Seconds(20));  // its end
  const absl::Duration begin = Clock::Real().Monotonic();
  loop_->Run(absl::Milliseconds(50));
  EXPECT_GE(Elapsed(begin), absl::Milliseconds(50));
  Listen(port);
  for (const int connects : {1, 0}) {
    loop_->Add(one->easy());
    const auto ended = Run(1);
    ASSERT_EQ(ended.size(), 1u);
    EXPECT_EQ(ended[0].code, CURLE_OK);
    EXPECT_EQ(one->connects(), connects);
  }
}

TEST_F(TransferLoopTest, OneThatIsWokenReturns) {
  for (const bool early : {true, false}) {
    const absl::Duration begin = Clock::Real().Monotonic();
    std::thread other;
    if (early) {
      loop_->Wake();
    } else {
      other = std::thread([this] { loop_->Wake(); });
    }
    EXPECT_TRUE(loop_->Run(absl::Seconds(20)).empty());
    EXPECT_LT(Elapsed(begin), absl::Seconds(10));
    if (other.joinable()) other.join();
  }
}

// It takes connections and says nothing.
class SilentServer {
 public:
  SilentServer() {
    sockaddr_in place = {};
    place.sin_family = AF_INET;
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof place;
    CHECK(bind(socket_, reinterpret_cast<sockaddr*>(&place), size) == 0);
    CHECK(listen(socket_, 16) == 0);
    CHECK(getsockname(socket_, reinterpret_cast<sockaddr*>(&place), &size) == 0);
    url_ = absl::StrCat("http://127.0.0.1:", ntohs(place.sin_port), "/");
  }
  ~SilentServer() { close(socket_); }
  SilentServer(const SilentServer&) = delete;
  SilentServer& operator=(const SilentServer&) = delete;

  const std::string& url() const { return url_; }

 private:
  const int socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  std::string url_;
};

TEST_F(TransferLoopTest, OneThatIsNotAnsweredEndsInItsTime) {
  const SilentServer silent;
  Transfer one(curl_, loop_.get(), silent.url());
  one.EndAfter(absl::Milliseconds(50));
  loop_->Add(one.easy());
  const absl::Duration begin = Clock::Real().Monotonic();
  const auto ended = Run(1);
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].code, CURLE_OPERATION_TIMEDOUT);
  EXPECT_LT(Elapsed(begin), absl::Seconds(10));
}

TEST_F(TransferLoopTest, OneThatIsGivenUpEndsNotAndMayBeginAgain) {
  Listen();
  const SilentServer silent;
  Transfer one(curl_, loop_.get(), silent.url());
  loop_->Add(one.easy());
  EXPECT_TRUE(loop_->Run(absl::Milliseconds(20)).empty());
  loop_->Remove(one.easy());
  EXPECT_TRUE(loop_->Run(absl::Milliseconds(20)).empty());
  curl_.easy_setopt(one.easy(), CURLOPT_URL, (base_ + "/a").c_str());
  loop_->Add(one.easy());
  const auto ended = Run(1);
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].code, CURLE_OK);
  EXPECT_EQ(one.body(), "/a");
}

TEST_F(TransferLoopTest, OneThatCannotBeginHasEnded) {
  loop_->Add(nullptr);
  const auto ended = Run(1);
  ASSERT_EQ(ended.size(), 1u);
  EXPECT_EQ(ended[0].code, CURLE_FAILED_INIT);
}

}  // namespace
}  // namespace walduct::http
