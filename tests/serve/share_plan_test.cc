#include "serve/assignment/share_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "absl/strings/str_cat.h"

namespace walduct::serve {
namespace {

using Weights = std::map<std::string, int>;

PlanNeeds Needs(std::set<std::string> members, Weights weights, bool released = true) {
  PlanNeeds needs{.leader = *members.begin(),
                  .members = members,
                  .weights = std::move(weights),
                  .released = [released](const std::string&, const Share&) { return released; }};
  return needs;
}

Weights Names(int count) {
  Weights weights;
  for (int i = 0; i < count; ++i) weights[absl::StrCat("c", i)] = 1;
  return weights;
}

int Difference(const SharePlan& plan, const std::set<std::string>& members,
               const Weights& weights) {
  std::map<std::string, int> loads;
  for (const std::string& member : members) loads[member] = 0;
  for (const auto& [name, share] : plan.shares) loads.at(share.worker) += weights.at(name);
  const auto [least, most] = std::minmax_element(
      loads.begin(), loads.end(), [](auto& a, auto& b) { return a.second < b.second; });
  return most->second - least->second;
}

int Moved(const SharePlan& before, const SharePlan& after) {
  int moved = 0;
  for (const auto& [name, share] : after.shares) {
    const auto found = before.shares.find(name);
    if (found != before.shares.end() && found->second.worker != share.worker) ++moved;
  }
  return moved;
}

TEST(SharePlan, MovesNoMoreThanANewcomersShare) {
  const SharePlan one = NextPlan({}, Needs({"http://a"}, Names(12)));
  EXPECT_EQ(one.epoch, 1);
  EXPECT_EQ(one.shares.size(), 12u);
  const SharePlan two = NextPlan(one, Needs({"http://a", "http://b"}, Names(12)));
  EXPECT_EQ(Moved(one, two), 6);
  const SharePlan three = NextPlan(two, Needs({"http://a", "http://b", "http://c"}, Names(12)));
  EXPECT_EQ(Moved(two, three), 4);
  for (const auto& [name, share] : three.shares) {
    EXPECT_EQ(share.from.empty(), share.worker == two.shares.at(name).worker) << name;
    EXPECT_TRUE(share.from.empty() || share.since == three.epoch) << name;
  }
  EXPECT_EQ(NextPlan(three, Needs({"http://a", "http://b", "http://c"}, Names(12))).epoch,
            three.epoch);
}

TEST(SharePlan, OfAMemberThatIsGoneNobodyWaitsForTheEnd) {
  const std::set<std::string> all = {"http://a", "http://b", "http://c"};
  const SharePlan three = NextPlan({}, Needs(all, Names(12)));
  const SharePlan two = NextPlan(three, Needs({"http://a", "http://c"}, Names(12)));
  EXPECT_EQ(Moved(three, two), 4);
  for (const auto& [name, share] : two.shares) EXPECT_EQ(share.from, "") << name;
}

TEST(SharePlan, WhatIsBeingHandedOverStaysWhereItGoes) {
  const SharePlan one = NextPlan({}, Needs({"http://a"}, Names(4)));
  const SharePlan two = NextPlan(one, Needs({"http://a", "http://b"}, Names(4)));
  const SharePlan back = NextPlan(two, Needs({"http://a"}, Names(4), /*released=*/false));
  for (const auto& [name, share] : back.shares) EXPECT_EQ(share, (Share{"http://a", share.since}));
  // b goes while a has not ended what went to b: c waits for a.
  const SharePlan three = NextPlan(two, Needs({"http://a", "http://c"}, Names(4), false));
  for (const auto& [name, share] : three.shares)
    EXPECT_TRUE(share.worker != "http://c" || share.from == "http://a") << name;
}

TEST(SharePlan, WhatIsCreatedAgainWaitsForTheEndOfWhatHadItsName) {
  const std::set<std::string> members = {"http://a", "http://b"};
  PlanNeeds needs = Needs(members, Names(2));
  const std::string had = NextPlan({}, needs).shares.at("c0").worker;
  const std::string other = had == "http://a" ? "http://b" : "http://a";
  // Nobody has ended it: what an earlier life of the name said does not count.
  needs.last = {{"c0", other}, {"gone", other}};
  const SharePlan plan = NextPlan({}, needs);
  EXPECT_EQ(plan.shares.at("c0"), (Share{had, 1, other}));
  EXPECT_EQ(plan.shares.at("c1").from, "");
  EXPECT_EQ(plan.shares.size(), 2u);
  needs.last = {{"c0", had}, {"c1", "http://no-member"}};
  for (const auto& [name, share] : NextPlan({}, needs).shares) EXPECT_EQ(share.from, "") << name;
}

TEST(SharePlan, LanesCountEach) {
  const Weights weights = {{"a", 4}, {"b", 1}, {"c", 1}, {"d", 1}, {"e", 1}};
  const SharePlan plan = NextPlan({}, Needs({"http://a", "http://b"}, weights));
  EXPECT_EQ(Difference(plan, {"http://a", "http://b"}, weights), 0);
}

TEST(SharePlan, DiffersByOneAtMostAfterAnyNumberOfJoinsAndLeaves) {
  std::mt19937 random(7);
  SharePlan plan;
  for (int step = 0; step < 2000; ++step) {
    std::set<std::string> members;
    const unsigned count = 1 + random() % 8;
    while (members.size() < count) members.insert(absl::StrCat("http://w", random() % 10));
    const Weights weights = Names(1 + static_cast<int>(random() % 40));
    const SharePlan next = NextPlan(plan, Needs(members, weights));
    ASSERT_LE(Difference(next, members, weights), 1) << step;
    ASSERT_EQ(next.shares.size(), weights.size());
    ASSERT_EQ(NextPlan(next, Needs(members, weights)).epoch, next.epoch) << step;
    plan = next;
  }
}

TEST(SharePlan, IsReadAsItIsWritten) {
  SharePlan plan{.epoch = 3, .leader = "http://a:1", .shares = {}};
  plan.shares["o\"ne"] = {.worker = "http://b:1", .since = 3, .from = "http://a:1"};
  plan.shares["two"] = {.worker = "http://a:1", .since = 1};
  const absl::StatusOr<SharePlan> read = SharePlan::Parse(plan.Text());
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(read->epoch, 3);
  EXPECT_EQ(read->leader, "http://a:1");
  EXPECT_EQ(read->shares, plan.shares);
  EXPECT_FALSE(SharePlan::Parse("[]").ok());
  EXPECT_FALSE(SharePlan::Parse(R"({"connectors":{"a":1}})").ok());
}

// As docs/serve.md counts: one record, which has to fit into a message of Kafka's default size.
TEST(SharePlan, TwoThousandConnectorsOverEightWorkers) {
  Weights weights;
  for (int i = 0; i < 2000; ++i) weights[absl::StrCat("team-", i % 40, "-orders-", i)] = 1;
  std::set<std::string> members;
  SharePlan plan;
  for (int i = 0; i < 8; ++i) {
    members.insert(absl::StrCat("http://walduct-", i, ".walduct-group:8083"));
    const SharePlan next = NextPlan(plan, Needs(members, weights));
    EXPECT_LE(Difference(next, members, weights), 1);
    EXPECT_LE(Moved(plan, next), 2000 / (i + 1) + 1) << "what need not move does not";
    plan = next;
  }
  EXPECT_LT(plan.Text().size(), 300'000u);
  const std::string gone = *members.begin();
  members.erase(gone);
  const SharePlan after = NextPlan(plan, Needs(members, weights));
  EXPECT_EQ(Moved(plan, after), 250);
  EXPECT_LE(Difference(after, members, weights), 1);
}

}  // namespace
}  // namespace walduct::serve
