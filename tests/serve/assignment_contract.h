// What every Assignment keeps to: write an AssignmentTarget that gives and takes connector "a", and
// instantiate AssignmentContract with it (assignment_test.cc).
#pragma once

#include <gtest/gtest.h>
#include <poll.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/lifecycle/connector.h"
#include "engine/lifecycle/connector_set.h"
#include "serve/worker/worker.h"
#include "tests/serve/memory_topics.h"
#include "tests/serve/test_loader.h"
#include "tests/support/await.h"
#include "tests/support/fake_world.h"

namespace walduct::test {

class AssignmentTarget {
 public:
  virtual ~AssignmentTarget() = default;
  virtual serve::Assignment& assignment() = 0;
  // Connector "a" becomes this worker's own, which leads; another one's. False: that never happens.
  virtual void Give() = 0;
  virtual bool Take() = 0;
};

struct NamedTarget {
  std::string name;
  std::function<std::unique_ptr<AssignmentTarget>()> make;
};
// In place of the object's bytes, in the names that ctest shows.
inline void PrintTo(const NamedTarget& target, std::ostream* out) { *out << target.name; }

class AssignmentContract : public testing::TestWithParam<NamedTarget> {
 protected:
  serve::Assignment& assignment() { return target_->assignment(); }
  bool Readable() {
    pollfd fd{.fd = assignment().fd(), .events = POLLIN, .revents = 0};
    return poll(&fd, 1, 0) == 1;
  }

  const std::unique_ptr<AssignmentTarget> target_ = GetParam().make();
};

TEST_P(AssignmentContract, WhatIsGivenIsOwnedInAGenerationThatWakes) {
  target_->Give();
  EXPECT_TRUE(assignment().Owns("a"));
  EXPECT_TRUE(assignment().Confirmed().ok()) << assignment().Confirmed();
  EXPECT_TRUE(assignment().leader().self);
  EXPECT_EQ(assignment().leader().worker, "");
  EXPECT_GT(assignment().generation(), 0u);
  EXPECT_TRUE(Readable());
  assignment().Drain();
  EXPECT_FALSE(Readable());
}

TEST_P(AssignmentContract, ARevocationIsToldOnceWhenOwnsSaysSo) {
  target_->Give();
  assignment().Drain();
  const uint64_t before = assignment().generation();
  int told = 0;
  serve::Assignment::Done done;
  assignment().OnRevoke([&](serve::Assignment::Done completes) {
    ++told;
    EXPECT_FALSE(assignment().Owns("a"));
    EXPECT_GT(assignment().generation(), before);
    done = std::move(completes);
  });
  if (!target_->Take()) {  // it is never revoked
    EXPECT_TRUE(assignment().Owns("a"));
    assignment().OnRevoke(nullptr);
    return;
  }
  EXPECT_EQ(told, 1);
  EXPECT_TRUE(Readable());
  done();
  EXPECT_FALSE(assignment().Owns("a"));
  assignment().OnRevoke(nullptr);
  const uint64_t revoked = assignment().generation();
  target_->Give();
  EXPECT_TRUE(assignment().Owns("a"));
  EXPECT_GT(assignment().generation(), revoked);
}

TEST_P(AssignmentContract, NobodyNeedsToListen) {
  target_->Give();
  if (!target_->Take()) {
    EXPECT_TRUE(assignment().Owns("a"));
    return;
  }
  EXPECT_FALSE(assignment().Owns("a"));
  target_->Give();
  EXPECT_TRUE(assignment().Owns("a"));
}

TEST_P(AssignmentContract, AWorkerRunsWhatItOwnsAndNothingElse) {
  MemoryTopics topics;
  FakeWorld world;
  engine::ConnectorSet connectors{world};
  const TestLoader loader;
  serve::Worker worker({.topics = &topics,
                        .assignment = &assignment(),
                        .connectors = &connectors,
                        .environment = Environment::Real(),
                        .group = "g",
                        .worker_id = "here:8083",
                        .version = "1",
                        .loader = &loader});
  target_->Give();
  ASSERT_TRUE(worker.Load().ok());
  const serve::ConfigMap config = {{"connector.class", std::string(serve::kPostgresClass)},
                                   {"name", "a"}};
  ASSERT_TRUE(worker.Create("a", config, serve::TargetState::kStarted).ok());
  const auto runs = [&](bool wanted) {
    Await([&] {
      worker.Reconcile();
      return (connectors.Find("a") != nullptr) == wanted;
    });
  };
  runs(true);
  if (target_->Take()) {
    runs(false);
    target_->Give();
    runs(true);
  }
  EXPECT_TRUE(connectors.Remove("a").ok());
}

}  // namespace walduct::test
