#include "cli/status/watch_keys.h"

#include <poll.h>
#include <unistd.h>

#include "absl/strings/str_cat.h"

namespace walduct::cli {
namespace {

bool IsOurs(int fd) { return isatty(fd) == 1 && tcgetpgrp(fd) == getpgrp(); }

}  // namespace

WatchKeys::WatchKeys() {
  termios mode = {};
  if (!IsOurs(STDIN_FILENO) || tcgetattr(STDIN_FILENO, &mode) != 0) return;
  before_ = mode;
  mode.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  mode.c_cc[VMIN] = 1;
  mode.c_cc[VTIME] = 0;
  if (tcsetattr(STDIN_FILENO, TCSANOW, &mode) != 0) before_.reset();
}

WatchKeys::~WatchKeys() {
  if (before_ && IsOurs(STDIN_FILENO)) tcsetattr(STDIN_FILENO, TCSANOW, &*before_);
}

int WatchKeys::fd() const { return before_ ? STDIN_FILENO : -1; }

bool WatchKeys::LeaveAsked() {
  if (!before_) return false;
  pollfd polled = {.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  while (poll(&polled, 1, 0) == 1) {
    char key = 'q';
    if (read(STDIN_FILENO, &key, 1) < 0) return false;
    if (key == 'q' || key == 'Q' || key == '\x04') return true;
  }
  return false;
}

std::string WatchHead(absl::string_view url, absl::Time now, absl::TimeZone zone, bool keys) {
  return absl::StrCat(absl::FormatTime("%H:%M:%S", now, zone), "  ", url, ", every second; ",
                      keys ? "q or " : "", "Ctrl-C leaves\n\n");
}

}  // namespace walduct::cli
