#include "base/poller.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

#include "base/clock.h"

namespace walduct {
namespace {

class Pipe {
 public:
  Pipe() { EXPECT_EQ(pipe(ends_.data()), 0); }
  ~Pipe() {
    close(ends_[0]);
    close(ends_[1]);
  }
  int reader() const { return ends_[0]; }
  void Fill() { EXPECT_EQ(write(ends_[1], "x", 1), 1); }

 private:
  std::array<int, 2> ends_{};
};

absl::Duration TimeToWait(std::initializer_list<int> fds, absl::Duration timeout) {
  const absl::Duration before = Clock::Real().Monotonic();
  Poller::Real().WaitReadable(fds, timeout);
  return Clock::Real().Monotonic() - before;
}

// Far longer than any of these tests may take.
constexpr absl::Duration kLong = absl::Seconds(60);

TEST(PollerWaitReadable, ReturnsAtOnceWhenOneCanBeRead) {
  Pipe empty;
  Pipe full;
  full.Fill();
  EXPECT_LT(TimeToWait({empty.reader(), full.reader()}, kLong), kLong / 2);
}

TEST(PollerWaitReadable, WaitsUntilTheTimeout) {
  Pipe empty;
  EXPECT_GE(TimeToWait({empty.reader()}, absl::Milliseconds(20)), absl::Milliseconds(20));
}

TEST(PollerWaitReadable, IgnoresDescriptorsThatAreNone) {
  Pipe full;
  full.Fill();
  EXPECT_LT(TimeToWait({-1, full.reader()}, kLong), kLong / 2);
  EXPECT_GE(TimeToWait({-1}, absl::Milliseconds(5)), absl::Milliseconds(5));
}

TEST(PollerWaitReadable, ADeadlineInThePastDoesNotWait) {
  Pipe empty;
  EXPECT_LT(TimeToWait({empty.reader()}, -absl::Seconds(5)), kLong / 2);
}

TEST(PollerWaitWritable, ReturnsWhenThereIsRoomOrSomethingToRead) {
  std::array<int, 2> ends{};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()), 0);
  const auto wait = [&](absl::Duration timeout) {
    const absl::Duration before = Clock::Real().Monotonic();
    Poller::Real().WaitWritable(ends[0], timeout);
    return Clock::Real().Monotonic() - before;
  };
  EXPECT_LT(wait(kLong), kLong / 2) << "has room";
  const std::array<char, 4096> block{};
  while (write(ends[0], block.data(), block.size()) > 0) continue;
  EXPECT_GE(wait(absl::Milliseconds(20)), absl::Milliseconds(20)) << "is full";
  ASSERT_EQ(write(ends[1], "x", 1), 1);
  EXPECT_LT(wait(kLong), kLong / 2) << "is full, but can be read";
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace walduct
