// A long wire between two tun devices: what one gives is given to the other later, at a bounded
// rate, or not at all when too much waits. far.py makes the devices and starts it.
//
//   walduct_wire FD FD ONE_WAY_MICROSECONDS MBIT QUEUE_BYTES
//
// Ends when its standard input does. Then a line for each direction: packets, bytes, dropped.
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <string>

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::nanoseconds;

constexpr size_t kLongestPacket = 1 << 16;
// Of one device before the other one has its turn.
constexpr int kMostAtOnce = 64;
constexpr std::chrono::seconds kLongestWait{1};

struct Wire {
  nanoseconds delay;
  double nanoseconds_a_byte;
  nanoseconds longest_queue;
};

class Direction {
 public:
  Direction(int from, int to, const Wire& wire) : from_(from), to_(to), wire_(wire) {}

  int from() const { return from_; }

  void Take() {
    for (int i = 0; i < kMostAtOnce; ++i) {
      const ssize_t size = read(from_, buffer_.data(), buffer_.size());
      if (size <= 0) return;
      Enqueue(static_cast<size_t>(size));
    }
  }

  void Give() {
    const Clock::time_point now = Clock::now();
    for (; !packets_.empty() && packets_.front().at <= now; packets_.pop_front()) {
      const std::string& packet = packets_.front().bytes;
      if (write(to_, packet.data(), packet.size()) < 0) ++dropped_;
    }
  }

  Clock::time_point next() const {
    return packets_.empty() ? Clock::time_point::max() : packets_.front().at;
  }

  void Print() const {
    std::printf("%llu packets, %llu bytes, %llu dropped\n", packets_taken_, bytes_taken_, dropped_);
  }

 private:
  struct Packet {
    Clock::time_point at;  // when its last bit arrives
    std::string bytes;
  };

  void Enqueue(size_t size) {
    const Clock::time_point now = Clock::now();
    const Clock::time_point begin = std::max(now, free_at_);
    if (begin - now > wire_.longest_queue) {
      ++dropped_;
      return;
    }
    ++packets_taken_;
    bytes_taken_ += size;
    const double takes = static_cast<double>(size) * wire_.nanoseconds_a_byte;
    free_at_ = begin + nanoseconds(static_cast<int64_t>(takes));
    packets_.push_back({.at = free_at_ + wire_.delay, .bytes = {buffer_.data(), size}});
  }

  int from_, to_;
  Wire wire_;
  Clock::time_point free_at_;  // the last packet has been sent
  std::deque<Packet> packets_;
  std::array<char, kLongestPacket> buffer_{};
  unsigned long long packets_taken_ = 0, bytes_taken_ = 0, dropped_ = 0;
};

timespec Until(Clock::time_point at) {
  const auto left = std::max<int64_t>(0, nanoseconds(at - Clock::now()).count());
  return {.tv_sec = left / 1'000'000'000, .tv_nsec = left % 1'000'000'000};
}

pollfd Readable(int fd) { return {.fd = fd, .events = POLLIN, .revents = 0}; }

void Run(Direction& there, Direction& back) {
  while (true) {
    const timespec wait = Until(std::min({there.next(), back.next(), Clock::now() + kLongestWait}));
    std::array fds = {Readable(there.from()), Readable(back.from()), Readable(STDIN_FILENO)};
    ppoll(fds.data(), fds.size(), &wait, nullptr);
    if (fds[2].revents != 0) return;
    for (Direction* direction : {&there, &back}) {
      direction->Take();
      direction->Give();
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    std::fputs("usage: walduct_wire FD FD ONE_WAY_MICROSECONDS MBIT QUEUE_BYTES\n", stderr);
    return 2;
  }
  const std::array<int, 2> fds = {std::atoi(argv[1]), std::atoi(argv[2])};
  const double a_byte = 8000 / std::atof(argv[4]);
  const Wire wire = {
      .delay = std::chrono::microseconds(std::atoi(argv[3])),
      .nanoseconds_a_byte = a_byte,
      .longest_queue = nanoseconds(static_cast<int64_t>(std::atof(argv[5]) * a_byte))};
  for (const int fd : fds) fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
  prctl(PR_SET_TIMERSLACK, 1000);  // nanoseconds; else a packet is 50 µs late
  Direction there(fds[0], fds[1], wire), back(fds[1], fds[0], wire);
  Run(there, back);
  there.Print();
  back.Print();
  return 0;
}
