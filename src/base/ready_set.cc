#include "base/ready_set.h"

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "base/check.h"

namespace walduct {

ReadySet::ReadySet() : fd_(epoll_create1(EPOLL_CLOEXEC)) { CHECK(fd_ >= 0); }
ReadySet::~ReadySet() { close(fd_); }

void ReadySet::Control(int operation, int fd, For wanted) {
  epoll_event event{};
  event.events = wanted == For::kReading ? EPOLLIN : EPOLLIN | EPOLLOUT;
  epoll_ctl(fd_, operation, fd, &event);
}

void ReadySet::Add(int fd, For wanted) { Control(EPOLL_CTL_ADD, fd, wanted); }
void ReadySet::Change(int fd, For wanted) { Control(EPOLL_CTL_MOD, fd, wanted); }
void ReadySet::Remove(int fd) { epoll_ctl(fd_, EPOLL_CTL_DEL, fd, nullptr); }

Alarm::Alarm() : fd_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)) {
  CHECK(fd_ >= 0);
}
Alarm::~Alarm() { close(fd_); }

void Alarm::Set(absl::Duration delay) {
  itimerspec when{};
  when.it_value = absl::ToTimespec(std::max(delay, absl::Milliseconds(1)));
  timerfd_settime(fd_, 0, &when, nullptr);
}

void Alarm::Drain() {
  uint64_t times = 0;
  if (read(fd_, &times, sizeof(times)) < 0) times = 0;  // it has not come
}

}  // namespace walduct
