#include "engine/control/mailbox.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

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

}  // namespace
}  // namespace walduct::engine
