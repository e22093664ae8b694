#include "cli/process/systemd.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/strings/numbers.h"

namespace walduct::cli {
namespace {

constexpr absl::Duration kRest = absl::Minutes(1);

}  // namespace

bool SystemdSocket::Send(absl::string_view lines) const {
  sockaddr_un address = {};
  if (path_.empty() || path_.size() >= sizeof address.sun_path) return false;
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path_.data(), path_.size());
  if (path_.front() == '@') address.sun_path[0] = '\0';  // in the abstract name space
  const int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return false;
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path_.size());
  const ssize_t sent = sendto(fd, lines.data(), lines.size(), MSG_NOSIGNAL,
                              reinterpret_cast<const sockaddr*>(&address), length);
  close(fd);
  return sent == static_cast<ssize_t>(lines.size());
}

std::optional<absl::Duration> SystemdNotifier::WatchdogInterval() {
  const char* const text = std::getenv("WATCHDOG_USEC");
  const char* const pid = std::getenv("WATCHDOG_PID");
  int64_t us = 0, of = 0;
  if (text == nullptr || !absl::SimpleAtoi(text, &us) || us <= 0) return std::nullopt;
  // Another process may have passed its environment on.
  if (pid != nullptr && (!absl::SimpleAtoi(pid, &of) || of != getpid())) return std::nullopt;
  return absl::Microseconds(us);
}

SystemdNotifier::SystemdNotifier(Parts parts) : parts_(std::move(parts)), socket_(parts_.socket) {
  if (socket_.given()) thread_ = std::thread([this] { Run(); });
}

SystemdNotifier::~SystemdNotifier() {
  ended_ = true;
  end_.Signal();
  if (thread_.joinable()) thread_.join();
}

void SystemdNotifier::Run() {
  socket_.Send("READY=1");
  bool stopping = false;
  while (!ended_) {
    if (parts_.stop->requested() && !std::exchange(stopping, true)) socket_.Send("STOPPING=1");
    if (parts_.watchdog && parts_.alive()) socket_.Send("WATCHDOG=1");
    parts_.environment.poller->WaitReadable({stopping ? -1 : parts_.stop->fd(), end_.fd()},
                                            parts_.watchdog ? *parts_.watchdog / 2 : kRest);
  }
}

}  // namespace walduct::cli
