#include "slot/world/watch/watch_sessions.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/environment.h"
#include "base/mutex.h"
#include "postgres/connection_options.h"
#include "postgres/options.h"
#include "tests/support/clock_ahead.h"
#include "tests/support/postgres_server.h"

namespace walduct::slot {
namespace {

using test::ClockAhead;
using test_servers::PostgresServer;

class WatchSessionsTest : public testing::Test {
 protected:
  using Members = std::vector<std::unique_ptr<WatchSessions::Member>>;

  std::unique_ptr<WatchSessions::Member> JoinAt(const postgres::DatabaseOptions& database) {
    const auto open = [database](postgres::StopCheck stopping) {
      return postgres::Connection::Open({.database = database,
                                         .stopping = std::move(stopping),
                                         .environment = Environment::Real()});
    };
    return sessions_->Join(database.dbname, open, clock_);
  }
  Members Join(int count) {
    Members members;
    for (int i = 0; i < count; ++i) members.push_back(JoinAt(database_));
    return members;
  }
  // The process of the server that it gets.
  static int Look(WatchSessions::Member& member, bool good = true) {
    const auto session = member.Take(nullptr);
    EXPECT_TRUE(session.ok()) << session.status();
    if (!session.ok()) return 0;
    const int pid = (*session)->backend_pid();
    EXPECT_TRUE((*session)->Run("SELECT 1").ok());
    member.Return(good);
    return pid;
  }

  const postgres::DatabaseOptions database_ = PostgresServer::Shared().CreateDatabase();
  ClockAhead clock_;
  const std::shared_ptr<WatchSessions> sessions_ = std::make_shared<WatchSessions>();
};

TEST_F(WatchSessionsTest, AFewOpenOneForEachLook) {
  const Members members = Join(WatchSessions::kMany - 1);
  EXPECT_NE(Look(*members[0]), Look(*members[0]));
  EXPECT_EQ(members[0]->shared(), nullptr);
}

TEST_F(WatchSessionsTest, ManyTakeTurnsWithOne) {
  Members members = Join(WatchSessions::kMany);
  const int first = Look(*members[0]);
  EXPECT_EQ(Look(*members[1]), first);
  EXPECT_EQ(Look(*members[0]), first);
  EXPECT_NE(members[0]->shared(), nullptr);
  EXPECT_EQ(members[0]->shared(), members[1]->shared());
  // Kept no longer than there are many.
  members.pop_back();
  EXPECT_NE(Look(*members[0]), first);
}

TEST_F(WatchSessionsTest, WhatFailedIsNotUsedAgain) {
  const Members members = Join(WatchSessions::kMany);
  const int first = Look(*members[0], /*good=*/false);
  EXPECT_NE(Look(*members[1]), first);
}

TEST_F(WatchSessionsTest, AnEndedOneIsNotUsedAgain) {
  const Members members = Join(WatchSessions::kMany);
  const int first = Look(*members[0]);
  const auto other = test_servers::MustOpen(database_);
  test_servers::MustQuery(*other, absl::StrCat("SELECT pg_terminate_backend(", first, ", 5000)"));
  EXPECT_NE(Look(*members[1]), first);
}

TEST_F(WatchSessionsTest, AnOldOneIsNotUsedAgain) {
  const Members members = Join(WatchSessions::kMany);
  const int first = Look(*members[0]);
  clock_.ahead = WatchSessions::kLifetime;
  EXPECT_NE(Look(*members[1]), first) << "a server that shuts down would not be noticed";
}

TEST_F(WatchSessionsTest, TwoThatLookAtOnceHaveOneEach) {
  const Members members = Join(WatchSessions::kMany);
  const auto first = members[0]->Take(nullptr), second = members[1]->Take(nullptr);
  ASSERT_TRUE(first.ok() && second.ok());
  EXPECT_NE((*first)->backend_pid(), (*second)->backend_pid());
}

// All at once, as the starts of many connectors.
TEST_F(WatchSessionsTest, ManyThatLookAtOnceTakeTurnsWithAFew) {
  const Members members = Join(10 * WatchSessions::kMost);
  std::set<int> processes;
  Mutex mutex;
  std::vector<std::thread> threads;
  for (const auto& member : members) {
    threads.emplace_back([&] {
      const int pid = Look(*member);
      const MutexLock lock(mutex);
      processes.insert(pid);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(processes.size(), size_t{WatchSessions::kMost});
}

TEST_F(WatchSessionsTest, WhoLooksForLongHoldsNobodyUp) {
  const Members members = Join(2 * WatchSessions::kMost + 1);
  for (size_t i = 0; i < WatchSessions::kMost; ++i) ASSERT_TRUE(members[i]->Take(nullptr).ok());
  const absl::Time begin = absl::Now();
  EXPECT_TRUE(members[WatchSessions::kMost]->Take(nullptr).ok());
  EXPECT_GE(absl::Now() - begin, WatchSessions::kPatience);
  members[0]->Return(true);
  EXPECT_NE(Look(*members.back()), 0);
  EXPECT_TRUE(members[0]->Take([] { return true; }).ok()) << "who is to end waits for no turn";
}

TEST_F(WatchSessionsTest, WhoFailsToOpenOneGivesItsTurnBack) {
  const Members members = Join(WatchSessions::kMany);
  const auto refused = sessions_->Join(
      database_.dbname, [](const postgres::StopCheck&) { return absl::UnavailableError("away"); },
      clock_);
  for (int i = 0; i < 2 * WatchSessions::kMost; ++i) EXPECT_FALSE(refused->Take(nullptr).ok());
  const absl::Time begin = absl::Now();
  EXPECT_NE(Look(*members[0]), 0);
  EXPECT_LT(absl::Now() - begin, WatchSessions::kPatience);
}

TEST_F(WatchSessionsTest, WhoHasItStopsIt) {
  Members members = Join(WatchSessions::kMany + 1);
  bool first_stops = false;
  ASSERT_TRUE(members[0]->Take([&] { return first_stops; }).ok());
  members[0]->Return(true);
  first_stops = true;
  const auto session = members[1]->Take([] { return false; });
  ASSERT_TRUE(session.ok());
  EXPECT_TRUE((*session)->Run("SELECT pg_sleep(1.3)").ok()) << "that one does not look any more";
  members[1]->Return(true);
  const auto again = members[2]->Take([] { return true; });
  ASSERT_TRUE(again.ok());
  EXPECT_TRUE(absl::IsCancelled((*again)->Run("SELECT pg_sleep(5)")));
}

TEST_F(WatchSessionsTest, AnotherDatabaseHasSessionsOfItsOwn) {
  const Members members = Join(WatchSessions::kMany);
  Look(*members[0]);
  const auto other = JoinAt(PostgresServer::Shared().CreateDatabase());
  const auto session = other->Take(nullptr);
  ASSERT_TRUE(session.ok());
  EXPECT_NE((*session)->database(), database_.dbname);
}

}  // namespace
}  // namespace walduct::slot
