// The assignments that there are, and a toy one, against the contract.
#include "serve/assignment/assignment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "kafka/options.h"
#include "serve/assignment/forwarding.h"
#include "serve/assignment/one_seat.h"
#include "serve/assignment/sole_worker.h"
#include "tests/serve/assignment_contract.h"
#include "tests/serve/hash_group.h"

namespace walduct::test {
namespace {

using testing::HasSubstr;

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

}  // namespace
}  // namespace walduct::test
