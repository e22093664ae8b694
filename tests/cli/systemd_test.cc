#include "cli/process/systemd.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>

namespace walduct::cli {
namespace {

// The socket of a service manager.
class ManagerSocket {
 public:
  ManagerSocket() : fd_(socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::strncpy(address.sun_path, path_.c_str(), sizeof address.sun_path - 1);
    unlink(path_.c_str());
    EXPECT_EQ(bind(fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    timeval limit{.tv_sec = 10, .tv_usec = 0};
    setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  }
  ~ManagerSocket() {
    close(fd_);
    unlink(path_.c_str());
  }
  const std::string& path() const { return path_; }
  // Waits for the next datagram.
  std::string Next() {
    char buffer[256];
    const ssize_t got = recv(fd_, buffer, sizeof buffer, 0);
    return got < 0 ? "nothing came" : std::string(buffer, static_cast<size_t>(got));
  }

 private:
  const std::string path_ =
      (std::filesystem::temp_directory_path() / ("walduct-notify-" + std::to_string(getpid())))
          .string();
  const int fd_;
};

class SystemdTest : public testing::Test {
 protected:
  std::unique_ptr<SystemdNotifier> Make(std::optional<absl::Duration> watchdog) {
    return std::make_unique<SystemdNotifier>(
        SystemdNotifier::Parts{.socket = manager_.path(),
                               .watchdog = watchdog,
                               .alive = [this] { return alive_.load(); },
                               .stop = &stop_,
                               .environment = Environment::Real()});
  }

  ManagerSocket manager_;
  engine::StopSignal stop_;
  std::atomic<bool> alive_{true};
};

TEST_F(SystemdTest, SaysThatItIsUpAndThatItStops) {
  const auto notifier = Make(std::nullopt);
  EXPECT_EQ(manager_.Next(), "READY=1");
  stop_.Request();
  EXPECT_EQ(manager_.Next(), "STOPPING=1");
}

TEST_F(SystemdTest, FeedsTheWatchdogWhileItLives) {
  const auto notifier = Make(absl::Milliseconds(20));
  EXPECT_EQ(manager_.Next(), "READY=1");
  EXPECT_EQ(manager_.Next(), "WATCHDOG=1");
  EXPECT_EQ(manager_.Next(), "WATCHDOG=1");
}

TEST_F(SystemdTest, TheWatchdogOfWhatDoesNotLiveIsNotFed) {
  alive_ = false;
  const auto notifier = Make(absl::Milliseconds(20));
  EXPECT_EQ(manager_.Next(), "READY=1");
  stop_.Request();
  EXPECT_EQ(manager_.Next(), "STOPPING=1");
}

TEST(SystemdSocket, WhatIsNotThereTakesNothing) {
  EXPECT_FALSE(SystemdSocket("").Send("READY=1"));
  EXPECT_FALSE(SystemdSocket("/no/such/socket").Send("READY=1"));
  EXPECT_FALSE(SystemdSocket(std::string(200, 'x')).Send("READY=1"));
}

TEST(WatchdogInterval, IsThatOfThisProcess) {
  unsetenv("WATCHDOG_USEC");
  unsetenv("WATCHDOG_PID");
  EXPECT_FALSE(SystemdNotifier::WatchdogInterval());
  setenv("WATCHDOG_USEC", "30000000", 1);
  EXPECT_EQ(SystemdNotifier::WatchdogInterval(), absl::Seconds(30));
  setenv("WATCHDOG_PID", "1", 1);
  EXPECT_FALSE(SystemdNotifier::WatchdogInterval());
  setenv("WATCHDOG_PID", std::to_string(getpid()).c_str(), 1);
  EXPECT_EQ(SystemdNotifier::WatchdogInterval(), absl::Seconds(30));
  setenv("WATCHDOG_USEC", "x", 1);
  EXPECT_FALSE(SystemdNotifier::WatchdogInterval());
  unsetenv("WATCHDOG_USEC");
  unsetenv("WATCHDOG_PID");
}

}  // namespace
}  // namespace walduct::cli
