#include "kafka/group/seat_view.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "kafka/group/group_seat.h"
#include "tests/kafka/mock_cluster.h"
#include "tests/support/await.h"

namespace walduct::kafka {
namespace {

constexpr absl::Duration kLong = absl::Hours(240);

// Lost at once, and no broker has answered since.
SeatView Silent() { return {.held = false, .answered = false}; }

TEST(SeatView, AMemberThatIsAloneHoldsOnHoweverLongKafkaIsAway) {
  EXPECT_EQ(JudgeSeat(Silent(), absl::Seconds(1)), SeatVerdict::kHoldOn);
  EXPECT_EQ(JudgeSeat(Silent(), kLong), SeatVerdict::kHoldOn);
}

TEST(SeatView, OneThatMayBeCutOffAloneLetsGoAfterAWhile) {
  SeatView view = Silent();
  view.others = 1;
  EXPECT_EQ(JudgeSeat(view, kMayBeTakenAfter - absl::Seconds(1)), SeatVerdict::kHoldOn);
  EXPECT_EQ(JudgeSeat(view, kMayBeTakenAfter), SeatVerdict::kMayBeTaken);
  // Brokers answer, and say that nobody has it: it comes back.
  view.answered = true;
  EXPECT_EQ(JudgeSeat(view, kLong), SeatVerdict::kHoldOn);
  // They are away again before it was back.
  view.answered = false;
  view.silent_since = kLong;
  EXPECT_EQ(JudgeSeat(view, kLong + absl::Seconds(1)), SeatVerdict::kHoldOn);
  EXPECT_EQ(JudgeSeat(view, kLong + kMayBeTakenAfter), SeatVerdict::kMayBeTaken);
}

TEST(SeatView, WhatABrokerHasSaidCounts) {
  SeatView view{.answered = true, .others = 1, .holder = "worker2:8083"};
  EXPECT_EQ(JudgeSeat(view, absl::ZeroDuration()), SeatVerdict::kTaken);
  view.answered = false;
  EXPECT_EQ(JudgeSeat(view, absl::ZeroDuration()), SeatVerdict::kTaken);
  EXPECT_EQ(JudgeSeat({.answered = true, .foreign = true}, absl::ZeroDuration()),
            SeatVerdict::kTaken);
}

TEST(SeatView, WhoHoldsItHasItWhateverElseIsSaid) {
  for (const bool answered : {true, false}) {
    const SeatView view{.held = true, .answered = answered, .others = 3};
    EXPECT_EQ(JudgeSeat(view, kLong), SeatVerdict::kOurs);
  }
}

constexpr absl::Duration kLease = absl::Seconds(7);

SeatView Listed(absl::Duration at) {
  return {.answered = true,
          .others = 1,
          .members = {{.client = "http://a:1", .self = true, .host = "/10.0.0.1"},
                      {.client = "http://b:1", .host = "/10.0.0.2"}},
          .listed_at = at};
}

TEST(SeatView, WhoSharesWorksForALeaseFromWhereItWasListed) {
  EXPECT_EQ(JudgeShare(Listed({}), kLease - absl::Milliseconds(1), kLease, false),
            SeatVerdict::kOurs);
  EXPECT_EQ(JudgeShare(Listed({}), kLease, kLease, true), SeatVerdict::kTaken);
  // One that has only just joined waits for nobody's end.
  EXPECT_EQ(JudgeShare(Listed({}), kLease, kLease, false), SeatVerdict::kHoldOn);
  SeatView silent = Listed({});
  silent.answered = false;
  EXPECT_EQ(JudgeShare(silent, absl::Seconds(3), kLease, true), SeatVerdict::kHoldOn);
  EXPECT_EQ(JudgeShare(silent, kLease, kLease, true), SeatVerdict::kMayBeTaken);
  silent.others = 0;
  EXPECT_EQ(JudgeShare(silent, kLong, kLease, true), SeatVerdict::kHoldOn);
  SeatView beside = Listed({});
  beside.holder = "c:8083 at 10.0.0.3";  // it does not share
  EXPECT_EQ(JudgeShare(beside, absl::Seconds(1), kLease, true), SeatVerdict::kTaken);
}

TEST(SeatView, ANewcomerWaitsForAMemberOfAnotherHostThatHasItsAddress) {
  SeatView view = Listed({});
  EXPECT_FALSE(HasTwin(view));
  view.members[1].client = "http://a:1";
  EXPECT_TRUE(HasTwin(view));
  EXPECT_EQ(JudgeShare(view, absl::Seconds(1), kLease, false), SeatVerdict::kHoldOn);
  EXPECT_EQ(JudgeShare(view, absl::Seconds(1), kLease, true), SeatVerdict::kOurs);
  view.members[1].host = "/10.0.0.1";  // the one before this one
  EXPECT_FALSE(HasTwin(view));
}

TEST(SeatView, ASecondOutageBeginsAfterTheAnswerBetweenThem) {
  const auto since = [](int answered, std::optional<int> trouble, int lost) {
    return SilentSince({.now = absl::Seconds(100),
                        .answered = absl::Seconds(answered),
                        .trouble = trouble ? absl::Seconds(*trouble) : absl::InfiniteDuration(),
                        .lost = absl::Seconds(lost)});
  };
  EXPECT_EQ(since(80, 91, 95), absl::Seconds(91));
  EXPECT_EQ(since(80, std::nullopt, 95), absl::Seconds(95)) << "the session ended first";
  EXPECT_EQ(since(80, std::nullopt, 100), absl::Seconds(100)) << "it is still held";
  EXPECT_EQ(since(80, 91, 40), absl::Seconds(80)) << "it has not come back since the first one";
  EXPECT_EQ(since(80, std::nullopt, 40), absl::Seconds(80));
}

std::string Assignment(absl::string_view topic, char partition) {
  return absl::StrCat(std::string("\0\3\0\0\0\2", 6), std::string("\0\5other\0\0\0\1\0\0\0\0", 15),
                      std::string("\0", 1), std::string(1, static_cast<char>(topic.size())), topic,
                      std::string("\0\0\0\1\0\0\0", 7), std::string(1, partition));
}

TEST(SeatView, AnAssignmentIsRead) {
  const std::string seat = Assignment("configs", 0);
  EXPECT_TRUE(AssignsSeat(seat, "configs"));
  EXPECT_FALSE(AssignsSeat(seat, "config"));
  EXPECT_FALSE(AssignsSeat(Assignment("configs", 1), "configs"));
  EXPECT_TRUE(AssignsSeat(seat, "other"));
  for (size_t size = 0; size < seat.size(); ++size)
    EXPECT_FALSE(AssignsSeat(absl::string_view(seat).substr(0, size), "configs")) << size;
  EXPECT_FALSE(AssignsSeat(std::string("\0\0\x7f\xff\xff\xff\xff\xff", 8), "configs"));
}

// The cluster of the tests has groups, and does not list them: nobody else is known.
TEST(GroupSeat, IsGivenToOneMember) {
  MockCluster cluster;
  cluster.CreateTopic("configs", 1);
  const auto ask = [&] {
    auto seat = GroupSeat::Ask({.bootstrap_servers = cluster.bootstrap_servers(),
                                .java = {},
                                .group_id = "g",
                                .topic = "configs",
                                .environment = Environment::Real()});
    EXPECT_TRUE(seat.ok()) << seat.status();
    return *std::move(seat);
  };
  auto first = ask();
  test::Await([&] { return first->held(); });
  EXPECT_TRUE(first->Look().held);
  EXPECT_EQ(first->Look().others, 0);
  first.reset();
  auto second = ask();
  test::Await([&] { return second->held(); });
}

// Again and again, as a broker does whose group.min.session.timeout.ms is above it.
TEST(GroupSeat, ASessionThatIsNotTakenIsAnErrorThatLasts) {
  MockCluster cluster;
  cluster.CreateTopic("configs", 1);
  constexpr int16_t kJoinGroup = 11;
  cluster.FailNext(kJoinGroup,
                   std::vector<rd_kafka_resp_err_t>(50, RD_KAFKA_RESP_ERR_INVALID_SESSION_TIMEOUT));
  auto seat = GroupSeat::Ask({.bootstrap_servers = cluster.bootstrap_servers(),
                              .java = {},
                              .group_id = "g",
                              .topic = "configs",
                              .environment = Environment::Real(),
                              .shares = true});
  ASSERT_TRUE(seat.ok()) << seat.status();
  test::Await([&] { return ErrorReason((*seat)->Look().error) == "group_session_refused"; });
  EXPECT_TRUE((*seat)->Look().foreign);
  EXPECT_FALSE((*seat)->held());
}

}  // namespace
}  // namespace walduct::kafka
