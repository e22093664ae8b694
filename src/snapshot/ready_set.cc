#include "snapshot/ready_set.h"

#include <sys/epoll.h>
#include <unistd.h>

#include "base/check.h"

namespace walduct::snapshot {

ReadySet::ReadySet() : fd_(epoll_create1(EPOLL_CLOEXEC)) { CHECK(fd_ >= 0); }
ReadySet::~ReadySet() { close(fd_); }

void ReadySet::Add(int socket) {
  epoll_event event{};
  event.events = EPOLLIN;
  epoll_ctl(fd_, EPOLL_CTL_ADD, socket, &event);
}

void ReadySet::Remove(int socket) { epoll_ctl(fd_, EPOLL_CTL_DEL, socket, nullptr); }

}  // namespace walduct::snapshot
