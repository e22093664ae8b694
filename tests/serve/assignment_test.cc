// The assignments that there are, and a toy one, against the contract.
#include "serve/assignment/assignment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "absl/strings/match.h"
#include "kafka/options.h"
#include "serve/assignment/forwarding.h"
#include "serve/assignment/one_seat.h"
#include "serve/assignment/sole_worker.h"
#include "serve/topics/topic_formats.h"
#include "tests/serve/assignment_contract.h"
#include "tests/serve/hash_group.h"

namespace walduct::test {
namespace {

using serve::InternalTopic;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

class SoleTarget final : public AssignmentTarget {
 public:
  serve::Assignment& assignment() override { return sole_; }
  void Give() override {}
  bool Take() override { return false; }

 private:
  serve::SoleWorker sole_;
};

class SeatTarget final : public AssignmentTarget {
 public:
  SeatTarget() { EXPECT_TRUE(seat_.Ask().ok()); }

  serve::Assignment& assignment() override { return seat_; }
  void Give() override { See({.held = true, .answered = true}); }
  bool Take() override {
    See({.answered = true, .others = 1, .holder = "there:8083"});
    return true;
  }
  admin::WorkerView shown() const { return board_.Read(); }
  absl::Duration now() const { return environment_.clock->Monotonic(); }
  void See(kafka::SeatView view) {
    view_ = std::move(view);
    seat_.Judge(/*serves=*/true);
  }

 private:
  static serve::WorkerOptions Options() {
    serve::WorkerOptions options;
    options.group_id = "g";
    options.clients = std::make_shared<const kafka::KafkaOptions>();
    options.worker_id = "here:8083";
    return options;
  }

  const Environment environment_ = Environment::Real();
  const serve::WorkerOptions options_ = Options();
  admin::WorkerBoard board_{"g", Clock::Real()};
  kafka::SeatView view_;
  serve::OneSeat seat_{
      options_, board_, environment_,
      [this](const kafka::GroupSeat::Options&) -> absl::StatusOr<serve::OneSeat::Seat> {
        return serve::OneSeat::Seat([this] { return view_; });
      }};
};

class HashTarget final : public AssignmentTarget {
 public:
  serve::Assignment& assignment() override { return here_; }
  void Give() override { group_.SetMembers({&here_}); }
  bool Take() override {
    group_.SetMembers({&here_, &there_});
    return true;
  }

 private:
  HashGroup group_;
  HashGroup::Member here_{group_, "here:8083"}, there_{group_, "there:8083"};
};

template <typename Target>
NamedTarget Named(std::string name) {
  return {std::move(name), [] { return std::make_unique<Target>(); }};
}

INSTANTIATE_TEST_SUITE_P(All, AssignmentContract,
                         testing::Values(Named<SoleTarget>("SoleWorker"),
                                         Named<SeatTarget>("OneSeat"),
                                         Named<HashTarget>("HashGroup")),
                         [](const auto& one) { return one.param.name; });

TEST(OneSeat, GoesOnWhileNobodySaysThatItIsAnothers) {
  SeatTarget target;
  serve::Assignment& seat = target.assignment();
  EXPECT_FALSE(seat.Owns("a"));
  target.Give();
  // Kafka is away, and this one lost the seat by its own clock; it was alone.
  target.See({.answered = false});
  EXPECT_TRUE(seat.Owns("a"));
  EXPECT_TRUE(absl::IsUnavailable(seat.Confirmed()));
  EXPECT_TRUE(absl::IsUnavailable(serve::CheckLeads(seat, "g")));
  // It is back, and about to give the seat back.
  target.See({.answered = true});
  EXPECT_TRUE(seat.Owns("a"));
  EXPECT_THAT(std::string(serve::CheckLeads(seat, "g").message()),
              HasSubstr("has not given the seat"));
  target.Take();
  EXPECT_FALSE(seat.Owns("a"));
  EXPECT_THAT(std::string(serve::CheckLeads(seat, "g").message()),
              HasSubstr("another worker (there:8083) serves the group g"));
}

TEST(OneSeat, WaitsForTheSeatSinceKafkaAnswersAgain) {
  SeatTarget target;
  target.Give();
  const absl::Duration lost = target.now() - absl::Seconds(95);
  target.See({.held_since = lost, .answered = false, .silent_since = lost});
  EXPECT_EQ(target.shown().wait, admin::WorkerWait::kKafka);
  EXPECT_GE(absl::Now() - target.shown().wait_since, absl::Seconds(94));
  target.See({.held_since = lost, .answered = true});
  EXPECT_EQ(target.shown().wait, admin::WorkerWait::kGroup);
  EXPECT_NE(target.shown().hint.find("passes by itself, within some 15 s"), std::string::npos);
  // A broker whose process is suspended looks the same.
  EXPECT_NE(target.shown().hint.find("over 30 s, look whether the brokers answer"),
            std::string::npos);
  EXPECT_LT(absl::Now() - target.shown().wait_since, absl::Seconds(30));
}

TEST(OneSeat, AMemberWithNewCredentialsKnowsWhatTheOneBeforeItKnew) {
  const Environment environment = Environment::Real();
  std::string password = "old";
  const auto clients = std::make_shared<kafka::KafkaOptions>();
  clients->again = [&password] {
    const auto now = std::make_shared<kafka::KafkaOptions>();
    now->consumer["sasl.jaas.config"] = password;
    return now;
  };
  serve::WorkerOptions options;
  options.clients = clients;
  options.shares = true;
  admin::WorkerBoard board("g", Clock::Real());
  const absl::Duration listed = environment.clock->Monotonic() - absl::Seconds(1);
  std::vector<kafka::SeatView> known;
  serve::OneSeat seat(
      options, board, environment,
      [&](const kafka::GroupSeat::Options& asked) -> absl::StatusOr<serve::OneSeat::Seat> {
        known.push_back(asked.known);
        if (known.size() > 1) return absl::UnavailableError("not now");
        return serve::OneSeat::Seat(
            [&] { return kafka::SeatView{.others = 2, .listed_at = listed}; });
      });
  ASSERT_TRUE(seat.Ask().ok());
  EXPECT_EQ(known.at(0).others, 0);
  password = "new";
  seat.Judge(/*serves=*/true);
  ASSERT_EQ(known.size(), 2u);
  EXPECT_EQ(known[1].others, 2);
  EXPECT_EQ(known[1].listed_at, listed);
  EXPECT_EQ(seat.Now().others, 2);
}

// The others are not to be stopped, and a start goes through this in a moment.
TEST(OneSeat, WhoJoinsThoseWhoShareWaitsForTheGroupAlone) {
  const Environment environment = Environment::Real();
  serve::WorkerOptions options;
  options.group_id = "g";
  options.clients = std::make_shared<kafka::KafkaOptions>();
  options.shares = true;
  admin::WorkerBoard board("g", Clock::Real());
  kafka::SeatView view{.answered = true, .others = 2, .holder = "http://there:8083"};
  serve::OneSeat seat(
      options, board, environment,
      [&](const kafka::GroupSeat::Options&) -> absl::StatusOr<serve::OneSeat::Seat> {
        return serve::OneSeat::Seat([&] { return view; });
      });
  ASSERT_TRUE(seat.Ask().ok());
  seat.Judge(/*serves=*/false);
  EXPECT_EQ(board.Read().wait, admin::WorkerWait::kGroup);
  EXPECT_THAT(board.Read().message, HasSubstr("to have this worker among its 3 members"));
  EXPECT_THAT(board.Read().hint, testing::Not(HasSubstr("stop the other one")));
  // One that does not share has all of it.
  view.holder = "there:8083";
  seat.Judge(/*serves=*/false);
  EXPECT_EQ(board.Read().wait, admin::WorkerWait::kSeat);
  EXPECT_THAT(board.Read().hint, HasSubstr("stop the other one"));
}

// Nothing of it runs by then, and the others are still in the group.
TEST(OneSeat, WhoLeavesKeepsWhatItKnewAndAsksOftenOnlyForAWhile) {
  const Environment environment = Environment::Real();
  serve::WorkerOptions options;
  options.clients = std::make_shared<kafka::KafkaOptions>();
  options.shares = true;
  admin::WorkerBoard board("g", Clock::Real());
  kafka::GroupSeat::Options asked{
      .bootstrap_servers = {}, .java = {}, .group_id = {}, .topic = {}, .environment = environment};
  const auto member = std::make_shared<int>();
  serve::OneSeat seat(
      options, board, environment,
      [&](const kafka::GroupSeat::Options& options_of) -> absl::StatusOr<serve::OneSeat::Seat> {
        asked = options_of;
        return serve::OneSeat::Seat(
            [member] { return kafka::SeatView{.held = true, .answered = true, .others = 2}; });
      });
  ASSERT_TRUE(seat.Ask().ok());
  EXPECT_EQ(seat.Lease().listed_at, -absl::InfiniteDuration());
  asked.on_listed({.listed_at = absl::Seconds(3), .others = 2});
  EXPECT_EQ(seat.Lease().listed_at, absl::Seconds(3));
  EXPECT_EQ(seat.Lease().others, 2);
  EXPECT_FALSE(asked.hurries());
  seat.Hurry();
  EXPECT_TRUE(asked.hurries());
  seat.Leave();
  EXPECT_EQ(member.use_count(), 1) << "it is a member still";
  EXPECT_FALSE(seat.Now().held);
  EXPECT_EQ(seat.Now().others, 2);
  EXPECT_TRUE(absl::IsAborted(seat.Confirmed()));
}

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
