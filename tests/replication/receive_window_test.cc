#include "replication/socket/receive_window.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

namespace walduct::replication {
namespace {

// Two ends of a TCP connection on loopback over which a byte has gone each way.
class Loopback {
 public:
  Loopback() {
    const int listening = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof place;
    auto* const address = reinterpret_cast<sockaddr*>(&place);
    EXPECT_EQ(bind(listening, address, size), 0);
    EXPECT_EQ(listen(listening, 1), 0);
    EXPECT_EQ(getsockname(listening, address, &size), 0);
    reader_ = socket(AF_INET, SOCK_STREAM, 0);
    EXPECT_EQ(connect(reader_, address, size), 0);
    server_ = accept(listening, nullptr, nullptr);
    close(listening);
    Pass(reader_, server_);
    Pass(server_, reader_);
  }
  ~Loopback() {
    close(reader_);
    close(server_);
  }
  int reader() const { return reader_; }

 private:
  static void Pass(int from, int to) {
    char byte = 'x';
    EXPECT_EQ(send(from, &byte, 1, 0), 1);
    EXPECT_EQ(recv(to, &byte, 1, 0), 1);
  }
  int reader_ = -1;
  int server_ = -1;
};

// The kernel doubles what is set, for its own needs.
int BufferOf(int socket) {
  int bytes = 0;
  socklen_t size = sizeof bytes;
  EXPECT_EQ(getsockopt(socket, SOL_SOCKET, SO_RCVBUF, &bytes, &size), 0);
  return bytes / 2;
}

void Bring(ReceiveWindow& window, size_t messages, size_t bytes) {
  for (size_t i = 0; i < messages; ++i) window.OnMessage(bytes);
}

sockaddr_storage End(int family, const char* address) {
  sockaddr_storage end{};
  end.ss_family = static_cast<sa_family_t>(family);
  void* const to = family == AF_INET
                       ? static_cast<void*>(&reinterpret_cast<sockaddr_in&>(end).sin_addr)
                       : static_cast<void*>(&reinterpret_cast<sockaddr_in6&>(end).sin6_addr);
  EXPECT_EQ(inet_pton(family, address, to), 1);
  return end;
}

// Whatever the round trip: a network bounds what comes after a long nap.
TEST(ReceiveWindow, OnlyThisMachineIsNear) {
  const auto one = [](int family, const char* ours, const char* theirs) {
    return AreOnOneMachine(End(family, ours), End(family, theirs));
  };
  EXPECT_TRUE(one(AF_INET, "127.0.0.1", "127.0.0.1"));
  EXPECT_TRUE(one(AF_INET, "127.0.0.1", "127.0.0.53"));
  EXPECT_TRUE(one(AF_INET, "10.0.0.7", "10.0.0.7"));
  EXPECT_FALSE(one(AF_INET, "10.0.0.7", "10.0.0.8"));
  EXPECT_FALSE(one(AF_INET, "172.17.0.1", "172.17.0.2"));
  EXPECT_TRUE(one(AF_INET6, "::1", "::1"));
  EXPECT_TRUE(one(AF_INET6, "fe80::1", "fe80::1"));
  EXPECT_FALSE(one(AF_INET6, "fd00::1", "fd00::2"));
  EXPECT_FALSE(one(AF_INET6, "fd00::1", "7f00::1"));
}

TEST(ReceiveWindow, IsMadeSmallWhereTheServerIsNear) {
  const Loopback loopback;
  ReceiveWindow window(loopback.reader());
  ASSERT_EQ(window.path(), ReceivePath::kNear);
  EXPECT_EQ(BufferOf(loopback.reader()), ReceiveWindow::kLeastBytes);
  Bring(window, 10'000, 100);
  EXPECT_EQ(BufferOf(loopback.reader()), ReceiveWindow::kLeastBytes);
}

TEST(ReceiveWindow, GrowsWithTheMessages) {
  const Loopback loopback;
  ReceiveWindow window(loopback.reader());
  Bring(window, 10'000, 1500);
  EXPECT_EQ(BufferOf(loopback.reader()), 1500 * ReceiveWindow::kMessages);
  Bring(window, 10'000, 1600);  // much the same
  EXPECT_EQ(BufferOf(loopback.reader()), 1500 * ReceiveWindow::kMessages);
}

// The server may have sent what it has announced: Linux would drop it.
TEST(ReceiveWindow, IsNeverMadeSmaller) {
  const Loopback loopback;
  ReceiveWindow window(loopback.reader());
  int least = BufferOf(loopback.reader());
  for (const size_t bytes : {100U, 1500U, 100U, 1300U, 10'000U, 100U, 1500U}) {
    Bring(window, 10'000, bytes);
    const int now = BufferOf(loopback.reader());
    EXPECT_GE(now, least) << "with messages of " << bytes << " bytes";
    least = now;
  }
}

TEST(ReceiveWindow, OneThatBeginsLargerIsLeftAlone) {
  const Loopback loopback;
  const int large = static_cast<int>(ReceiveWindow::kMostBytes);
  ASSERT_EQ(setsockopt(loopback.reader(), SOL_SOCKET, SO_RCVBUF, &large, sizeof large), 0);
  const int before = BufferOf(loopback.reader());
  ASSERT_GT(before, static_cast<int>(ReceiveWindow::kLeastBytes));
  ReceiveWindow window(loopback.reader());
  Bring(window, 10'000, 100);
  EXPECT_EQ(BufferOf(loopback.reader()), before);
}

// It grows by itself then: SO_BUF_LOCK has SOCK_RCVBUF_LOCK (2) where it was set.
TEST(ReceiveWindow, IsTheKernelsAgainWithLargeMessages) {
  const auto locked = [](int socket) {
    int locks = 0;
    socklen_t size = sizeof locks;
    EXPECT_EQ(getsockopt(socket, SOL_SOCKET, SO_BUF_LOCK, &locks, &size), 0);
    return (locks & 2) != 0;
  };
  const Loopback loopback;
  ReceiveWindow window(loopback.reader());
  EXPECT_TRUE(locked(loopback.reader()));
  Bring(window, 1000, 10'000);
  EXPECT_FALSE(locked(loopback.reader()));
  Bring(window, 10'000, 100);
  EXPECT_FALSE(locked(loopback.reader()));
}

TEST(ReceiveWindow, AUnixSocketIsLeftAlone) {
  std::array<int, 2> ends{};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  const int before = BufferOf(ends[0]);
  ReceiveWindow window(ends[0]);
  EXPECT_EQ(window.path(), ReceivePath::kLocal);
  Bring(window, 10'000, 100);
  EXPECT_EQ(BufferOf(ends[0]), before);
  close(ends[0]);
  close(ends[1]);
}

TEST(ReceiveWindow, WhatIsNoSocketIsFar) {
  ReceiveWindow window(-1);
  EXPECT_EQ(window.path(), ReceivePath::kFar);
  Bring(window, 10'000, 100);
}

}  // namespace
}  // namespace walduct::replication
