#include "incremental/channels/signal_queue.h"

#include <gtest/gtest.h>
#include <poll.h>

#include <memory>
#include <string>
#include <utility>

#include "tests/incremental/fake_inbox.h"

namespace walduct::incremental {
namespace {

bool IsReadable(int fd) {
  pollfd one{.fd = fd, .events = POLLIN, .revents = 0};
  return poll(&one, 1, 0) == 1;
}

std::string IdOf(const std::optional<SignalInbox::Incoming>& incoming) {
  return incoming && incoming->signal.ok() ? incoming->signal->id : "none";
}

TEST(SignalQueue, WhatIsPutIsTakenInOrderAndDoneOnceItIsStored) {
  const auto queue = std::make_shared<SignalQueue>();
  const auto inbox = SignalQueue::Open(queue, nullptr);
  EXPECT_FALSE(IsReadable(inbox->ready_fd()));
  const uint64_t first = *queue->Put({.id = "a", .type = "log", .data = {}});
  const uint64_t second = *queue->Put({.id = "b", .type = "log", .data = {}});
  EXPECT_TRUE(IsReadable(inbox->ready_fd()));
  const auto a = inbox->Take();
  EXPECT_EQ(IdOf(a), "a");
  EXPECT_EQ(IdOf(inbox->Take()), "b");
  EXPECT_EQ(IdOf(inbox->Take()), "none");
  EXPECT_FALSE(IsReadable(inbox->ready_fd()));
  inbox->Done(a->ticket);
  EXPECT_TRUE(queue->IsDone(first));
  EXPECT_FALSE(queue->IsDone(second));
  EXPECT_FALSE(queue->IsWaiting("a"));
  EXPECT_TRUE(queue->IsWaiting("b"));
}

TEST(SignalQueue, ASessionTakesAgainWhatTheOneBeforeDidNotSettle) {
  const auto queue = std::make_shared<SignalQueue>();
  queue->Put({.id = "a", .type = "log", .data = {}});
  queue->Put({.id = "b", .type = "log", .data = {}});
  {
    const auto inbox = SignalQueue::Open(queue, nullptr);
    const auto a = inbox->Take();
    inbox->Take();
    inbox->Done(a->ticket);
  }
  const auto inbox = SignalQueue::Open(queue, nullptr);
  EXPECT_TRUE(IsReadable(inbox->ready_fd()));
  EXPECT_EQ(IdOf(inbox->Take()), "b");
  EXPECT_EQ(IdOf(inbox->Take()), "none");
}

TEST(SignalQueue, BesideAChannelEachHearsOfItsOwn) {
  FakeInbox::Desk desk;
  const auto queue = std::make_shared<SignalQueue>();
  const auto inbox = SignalQueue::Open(queue, std::make_unique<FakeInbox>(&desk));
  desk.Put(RawSignal{.id = "of the file", .type = "log", .data = {}});
  const uint64_t own = *queue->Put({.id = "own", .type = "log", .data = {}});
  EXPECT_TRUE(IsReadable(inbox->ready_fd()));
  EXPECT_EQ(IdOf(inbox->Take()), "own");
  const auto other = inbox->Take();
  EXPECT_EQ(IdOf(other), "of the file");
  inbox->Done(other->ticket);
  EXPECT_TRUE(queue->IsDone(own));
  EXPECT_EQ(desk.done, 1u);
}

TEST(SignalQueue, IsBounded) {
  SignalQueue queue;
  for (size_t i = 0; i < SignalQueue::kMost; ++i) EXPECT_TRUE(queue.Put({}));
  EXPECT_FALSE(queue.Put({}));
}

}  // namespace
}  // namespace walduct::incremental
