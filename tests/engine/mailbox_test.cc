#include "engine/control/mailbox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace walduct::engine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

bool Readable(int fd) {
  pollfd polled = {.fd = fd, .events = POLLIN, .revents = 0};
  return poll(&polled, 1, 0) == 1;
}

TEST(Mailbox, GivesCommandsInTheirOrderAndOnce) {
  Mailbox mailbox;
  EXPECT_THAT(mailbox.TakeAll(), IsEmpty());
  mailbox.Post(Command::kPause);
  mailbox.Post(Command::kRestart);
  EXPECT_THAT(mailbox.TakeAll(), ElementsAre(Command::kPause, Command::kRestart));
  EXPECT_THAT(mailbox.TakeAll(), IsEmpty());
}

TEST(Mailbox, WakesWhoeverWaitsUntilAllIsTaken) {
  Mailbox mailbox;
  EXPECT_FALSE(Readable(mailbox.fd()));
  mailbox.Post(Command::kStop);
  EXPECT_TRUE(Readable(mailbox.fd()));
  mailbox.TakeAll();
  EXPECT_FALSE(Readable(mailbox.fd()));
}

TEST(Mailbox, HoldsEachCommandOnceAtItsLastPlace) {
  Mailbox mailbox;
  for (int i = 0; i < 1000; ++i) {
    mailbox.Post(Command::kPause);
    mailbox.Post(Command::kResume);
  }
  mailbox.Post(Command::kPause);
  EXPECT_THAT(mailbox.TakeAll(), ElementsAre(Command::kResume, Command::kPause));
}

TEST(Mailbox, LosesNothingThatIsPostedWhileItIsEmptied) {
  Mailbox mailbox;
  std::thread poster([&mailbox] {
    for (int i = 0; i < 10'000; ++i) mailbox.Post(Command::kPause);
    mailbox.Post(Command::kQuit);
  });
  bool quit = false;
  while (!quit) {
    for (const Command command : mailbox.TakeAll()) quit = quit || command == Command::kQuit;
  }
  poster.join();
  EXPECT_THAT(mailbox.TakeAll(), IsEmpty());
}

// Otherwise whoever waits for commands would never sleep again. As many rounds as there is time
// for: one in some hundred hits the moment between a command and its wake-up.
TEST(Mailbox, WakesNobodyForACommandThatWasTaken) {
  Mailbox mailbox;
  std::atomic<bool> wanted{true}, done{false};
  std::thread poster([&] {
    while (!done) {
      if (!wanted) continue;
      mailbox.Post(Command::kPause);
      wanted = false;
    }
  });
  int left_behind = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
  while (std::chrono::steady_clock::now() < end) {
    while (mailbox.TakeAll().empty()) {
    }
    while (wanted) {
    }
    left_behind += Readable(mailbox.fd()) ? 1 : 0;
    wanted = true;
  }
  done = true;
  poster.join();
  EXPECT_EQ(left_behind, 0);
}

}  // namespace
}  // namespace walduct::engine
