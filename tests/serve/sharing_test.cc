// Workers that share their connectors by names alone.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "base/environment.h"
#include "engine/lifecycle/connector.h"
#include "engine/lifecycle/connector_set.h"
#include "serve/assignment/assignment.h"
#include "serve/topics/topic_formats.h"
#include "serve/worker/worker.h"
#include "tests/serve/hash_group.h"
#include "tests/serve/memory_topics.h"
#include "tests/serve/test_loader.h"
#include "tests/support/await.h"
#include "tests/support/fake_world.h"

namespace walduct::test {
namespace {

using serve::InternalTopic;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

// Two workers of a group that share its connectors, on the same topics and servers.
class SharingTest : public testing::Test {
 protected:
  struct One {
    One(SharingTest& test, HashGroup& group, const std::string& id)
        : member(group, id),
          connectors(test.world_),
          worker({.topics = &test.topics_,
                  .assignment = &member,
                  .connectors = &connectors,
                  .environment = Environment::Real(),
                  .group = "g",
                  .worker_id = id,
                  .version = "1",
                  .loader = &test.loader_}) {}
    ~One() {
      for (const auto& connector : connectors.All())
        EXPECT_TRUE(connectors.Remove(connector->name()).ok());
    }
    bool Runs(const std::string& name) const { return connectors.Find(name) != nullptr; }

    HashGroup::Member member;
    engine::ConnectorSet connectors;
    serve::Worker worker;
  };

  void Until(const std::function<bool()>& condition) {
    Await([&] {
      here_.worker.Reconcile();
      there_.worker.Reconcile();
      return condition();
    });
  }
  void Create(const std::string& name) {
    const serve::ConfigMap config = {{"connector.class", std::string(serve::kPostgresClass)},
                                     {"name", name}};
    ASSERT_TRUE(here_.worker.Create(name, config, serve::TargetState::kStarted).ok());
    Until([&] { return here_.Runs(name); });
  }
  void SetUp() override {
    group_.SetMembers({&here_.member});
    ASSERT_TRUE(here_.worker.Load().ok());
    ASSERT_TRUE(there_.worker.Load().ok());
  }
  bool IsSaidBy(const std::string& name, const std::string& worker) const {
    const auto status = topics_.Last(InternalTopic::kStatus, "status-task-" + name + "-0");
    return status && absl::StrContains(*status, R"("state":"RUNNING")") &&
           absl::StrContains(*status, "\"" + worker + "\"");
  }

  MemoryTopics topics_;
  FakeWorld world_;
  const TestLoader loader_;
  HashGroup group_;
  One here_{*this, group_, "here:8083"};
  One there_{*this, group_, "there:8083"};
};

TEST_F(SharingTest, WhatMovesEndsHereBeforeItIsOwnedThere) {
  Create("a");
  Create("b");
  const auto stays = here_.connectors.Find("b");
  bool ended = false;
  group_.on_handed_over = [&] { ended = !here_.Runs("a") && !there_.Runs("a"); };
  group_.SetMembers({&here_.member, &there_.member});
  EXPECT_FALSE(here_.member.Owns("a"));
  EXPECT_FALSE(there_.member.Owns("a"));
  there_.worker.Reconcile();
  EXPECT_FALSE(there_.Runs("a"));
  Until([&] { return there_.Runs("a") && IsSaidBy("a", "there:8083"); });
  EXPECT_TRUE(ended);
  EXPECT_FALSE(here_.Runs("a"));
  EXPECT_EQ(here_.connectors.Find("b"), stays);
  EXPECT_TRUE(IsSaidBy("b", "here:8083"));
  // And back.
  group_.SetMembers({&here_.member});
  Until([&] { return here_.Runs("a") && IsSaidBy("a", "here:8083"); });
  EXPECT_TRUE(ended);
  EXPECT_FALSE(there_.Runs("a"));
}

TEST_F(SharingTest, WhatIsNewlyOwnedStartsFromItsStoredPosition) {
  Create("a");
  Until([&] { return world_.database.streaming(); });
  world_.database.Commit({"one"});
  Until([&] { return world_.broker.keys().size() == 1; });
  group_.SetMembers({&here_.member, &there_.member});
  Until([&] { return !here_.Runs("a"); });
  world_.database.Commit({"two"});
  Until([&] { return world_.broker.keys().size() == 2; });
  EXPECT_TRUE(there_.Runs("a"));
  EXPECT_THAT(world_.broker.keys(), UnorderedElementsAre(HasSubstr("one"), HasSubstr("two")));
}

TEST_F(SharingTest, TheLeaderWritesAndTheOwnerSaysWhatRuns) {
  Create("b");
  group_.SetMembers({&here_.member, &there_.member});
  Until([&] { return there_.member.Confirmed().ok(); });
  Until([&] { return there_.worker.Find("b").has_value(); });
  const absl::Status refused = there_.worker.SetTarget("b", serve::TargetState::kPaused);
  EXPECT_TRUE(absl::IsAborted(refused));
  EXPECT_THAT(std::string(refused.message()), HasSubstr("another worker (here:8083)"));
  const auto said = topics_.Records(InternalTopic::kStatus).size();
  there_.worker.Reconcile();
  there_.worker.Leave();
  EXPECT_EQ(topics_.Records(InternalTopic::kStatus).size(), said);
  EXPECT_TRUE(here_.worker.SetTarget("b", serve::TargetState::kPaused).ok());
}

// Another one leads.
class Follower final : public serve::Assignment {
 public:
  bool Owns(absl::string_view /*connector*/) const override { return owns; }
  absl::Status Confirmed() const override { return confirmed; }
  Leader leader() const override { return {.self = false, .worker = "there:8083"}; }
  bool follows() const override { return true; }

  bool owns = false;
  absl::Status confirmed = absl::AbortedError("not a member");
};

TEST_F(SharingTest, AnyMemberWritesTheLevelOfALoggerForAll) {
  Follower follower;
  engine::ConnectorSet connectors(world_);
  serve::Worker worker({.topics = &topics_,
                        .assignment = &follower,
                        .connectors = &connectors,
                        .environment = Environment::Real(),
                        .group = "g",
                        .worker_id = "other:8083",
                        .version = "1",
                        .loader = &loader_});
  const std::string key = serve::LoggerKey("walduct.slot");
  EXPECT_TRUE(absl::IsAborted(worker.WriteLogger("walduct.slot", "DEBUG")));
  EXPECT_FALSE(topics_.Last(InternalTopic::kConfigs, key).has_value());
  follower.confirmed = absl::OkStatus();
  EXPECT_TRUE(worker.WriteLogger("walduct.slot", "DEBUG").ok());
  EXPECT_TRUE(topics_.Last(InternalTopic::kConfigs, key).has_value());
}

class Leading final : public serve::Assignment {
 public:
  bool Owns(absl::string_view /*connector*/) const override { return true; }
  absl::Status Confirmed() const override { return absl::OkStatus(); }
  Leader leader() const override { return {.self = true}; }
  bool follows() const override { return true; }
  void TopicWasLost() override { lost = true; }

  bool lost = false;
};

// One that led before was held up in the middle of a write, which came after this one had read.
TEST_F(SharingTest, WhoLeadsReadsWhatItHasNotWrittenItself) {
  Leading leading;
  engine::ConnectorSet connectors(world_);
  serve::Worker worker({.topics = &topics_,
                        .assignment = &leading,
                        .connectors = &connectors,
                        .environment = Environment::Real(),
                        .group = "g",
                        .worker_id = "other:8083",
                        .version = "1",
                        .loader = &loader_});
  ASSERT_TRUE(worker.Load().ok());
  serve::ConfigMap config = {{"connector.class", std::string(serve::kPostgresClass)},
                             {"name", "a"}};
  ASSERT_TRUE(worker.Create("a", config, serve::TargetState::kStopped).ok());
  int reads = 0;
  topics_.during_reads = [&] { ++reads; };
  for (const serve::TopicEntry& entry : topics_.Records(InternalTopic::kConfigs))
    worker.FollowConfigs(entry.key, entry.value);
  worker.Reconcile();
  EXPECT_EQ(reads, 0);
  serve::PutValue(&config, "x", "1");
  const std::string value = serve::ConnectorValue(config);
  const std::string key = serve::ConnectorKey("a");
  ASSERT_TRUE(topics_.Write(InternalTopic::kConfigs, {{.key = key, .value = value}}).ok());
  worker.FollowConfigs(key, value);
  Await([&] {
    worker.Reconcile();
    return serve::FindValue(worker.Find("a")->config, "x") != nullptr;
  });
  topics_.during_reads = nullptr;
}

// Of its own a leader writes who runs what, as soon as it leads.
TEST_F(SharingTest, ATopicWithoutConnectorsHasLostThemWhateverElseIsInIt) {
  Leading leading;
  engine::ConnectorSet connectors(world_);
  serve::Worker worker({.topics = &topics_,
                        .assignment = &leading,
                        .connectors = &connectors,
                        .environment = Environment::Real(),
                        .group = "g",
                        .worker_id = "other:8083",
                        .version = "1",
                        .loader = &loader_});
  ASSERT_TRUE(worker.Load().ok());
  const serve::ConfigMap config = {{"connector.class", std::string(serve::kPostgresClass)},
                                   {"name", "a"}};
  ASSERT_TRUE(worker.Create("a", config, serve::TargetState::kStopped).ok());
  topics_.LoseAll();
  ASSERT_TRUE(topics_
                  .Write(InternalTopic::kConfigs,
                         {{.key = "walduct-assignment", .value = "{}"},
                          {.key = serve::LoggerKey("walduct.slot"), .value = "{}"}})
                  .ok());
  worker.FollowConfigs("another's", std::nullopt);
  Await([&] {
    worker.Reconcile();
    return topics_.Last(InternalTopic::kConfigs, serve::ConnectorKey("a")).has_value();
  });
  EXPECT_TRUE(worker.Find("a").has_value());
  EXPECT_TRUE(leading.lost);
}

TEST_F(SharingTest, WhoLeadsMakesATopicThatIsGone) {
  Follower follower;
  follower.confirmed = absl::OkStatus();
  engine::ConnectorSet connectors(world_);
  serve::Worker worker({.topics = &topics_,
                        .assignment = &follower,
                        .connectors = &connectors,
                        .environment = Environment::Real(),
                        .group = "g",
                        .worker_id = "other:8083",
                        .version = "1",
                        .loader = &loader_});
  ASSERT_TRUE(worker.Load().ok());
  topics_.BeGone();
  worker.Reconcile();
  EXPECT_FALSE(topics_.CheckThere().ok());
  here_.worker.Reconcile();
  EXPECT_TRUE(topics_.CheckThere().ok());
}

// Configurations that change all the time, as when a hundred connectors are created.
TEST_F(SharingTest, WhoFollowsSaysWhatRunsHoweverMuchIsNew) {
  Create("a");
  group_.SetMembers({});
  Until([&] { return !here_.Runs("a"); });
  Follower follower;
  follower.owns = true;
  follower.confirmed = absl::OkStatus();
  engine::ConnectorSet connectors(world_);
  serve::Worker worker({.topics = &topics_,
                        .assignment = &follower,
                        .connectors = &connectors,
                        .environment = Environment::Real(),
                        .group = "g",
                        .worker_id = "other:8083",
                        .version = "1",
                        .loader = &loader_});
  ASSERT_TRUE(worker.Load().ok());
  const std::string key = serve::ConnectorKey("of another name");
  topics_.during_reads = [&] { worker.FollowConfigs(key, std::nullopt); };
  worker.FollowConfigs(key, std::nullopt);
  Await([&] {
    worker.Reconcile();
    return IsSaidBy("a", "other:8083");
  });
  topics_.during_reads = nullptr;
  EXPECT_TRUE(connectors.Remove("a").ok());
}

// Whose record is the last one is not known: this one's may be before it.
TEST_F(SharingTest, WhatAnotherOneSaysDuringAWriteIsAnswered) {
  Create("a");
  Until([&] { return IsSaidBy("a", "here:8083"); });
  const std::string key = serve::ConnectorStatusKey("a");
  const std::string other =
      serve::StatusValue({.state = "UNASSIGNED", .trace = {}, .version = {}}, "there:8083", 1);
  const auto written = [&] {
    const auto keys = topics_.Keys(InternalTopic::kStatus);
    return std::count(keys.begin(), keys.end(), key);
  };
  here_.worker.FollowStatus(key, other);
  topics_.DuringNextWrite([&] { here_.worker.FollowStatus(key, other); });
  const auto before = written();
  here_.worker.Reconcile();
  EXPECT_EQ(written(), before + 1);
  here_.worker.Reconcile();
  EXPECT_EQ(written(), before + 2);
  here_.worker.Reconcile();
  EXPECT_EQ(written(), before + 2) << "it is the last one now";
}

}  // namespace
}  // namespace walduct::test
