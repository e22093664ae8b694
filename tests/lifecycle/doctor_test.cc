// What cannot be planted on a shared server: a clock that is wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/numbers.h"
#include "engine/configuration/connector_options.h"
#include "operate/doctor/checks.h"
#include "operate/doctor/subject/subject_of.h"
#include "tests/support/fake_world.h"
#include "tests/support/postgres_server.h"

namespace walduct::operate {
namespace {

using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;

class ShiftedClock final : public Clock {
 public:
  explicit ShiftedClock(absl::Duration by) : by_(by) {}
  absl::Time Now() override { return real_.clock->Now() + by_; }
  absl::Duration Monotonic() override { return real_.clock->Monotonic(); }

 private:
  const Environment real_ = Environment::Real();
  const absl::Duration by_;
};

// A connector at work: whenever it is asked, it has just stored what was just committed.
class StoreAtWork final : public offset::OffsetStore {
 public:
  explicit StoreAtWork(const postgres::DatabaseOptions& database)
      : sql_(test_servers::MustOpen(database)) {}
  absl::StatusOr<std::optional<offset::StoredOffset>> Load() override {
    offset::StoredOffset stored;
    EXPECT_TRUE(absl::SimpleAtoi(test_servers::MustQuery(*sql_, "SELECT txid_current()"),
                                 &stored.position.xid));
    return stored;
  }
  absl::Status StartSave(const offset::StoredOffset&) override { return absl::OkStatus(); }
  std::optional<absl::Status> PollSave() override { return absl::OkStatus(); }
  int ready_fd() const override { return -1; }
  absl::Status Erase() override { return absl::OkStatus(); }

 private:
  const std::unique_ptr<postgres::Connection> sql_;
};

Findings Settings(absl::Duration by) {
  const auto connection =
      test_servers::MustOpen(test_servers::PostgresServer::Shared().CreateDatabase());
  ShiftedClock clock(by);
  Environment environment = Environment::Real();
  environment.clock = &clock;
  Findings findings;
  CheckSettings(*connection, environment, &findings);
  return findings;
}

TEST(Doctor, SeesAWrongClock) {
  const Findings late = Settings(absl::Hours(-1));
  EXPECT_THAT(late.all, Contains(Field(&Finding::message, HasSubstr("is 1h ahead of"))));
  EXPECT_THAT(Settings(absl::Hours(1)).all,
              Contains(Field(&Finding::message, HasSubstr("is 1h behind"))));
  EXPECT_THAT(Settings(absl::ZeroDuration()).all,
              Not(Contains(Field(&Finding::reason, "clock_skew"))));
}

TEST(Doctor, AsksTheServerBehindThePosition) {
  const postgres::DatabaseOptions database =
      test_servers::PostgresServer::Shared().CreateDatabase();
  const engine::ConnectorOptions options = test::FakeConfig();
  const Subject subject = SubjectOf(options);
  const Environment environment = Environment::Real();
  Findings findings;
  Examination examined{.subject = subject, .environment = environment, .findings = findings};
  examined.sql = test_servers::MustOpen(database);
  const auto before = postgres::CheckServer(*examined.sql);
  ASSERT_TRUE(before.ok());
  examined.server = *before;
  examined.store = std::make_unique<StoreAtWork>(database);
  AskStoredPosition(examined);
  ASSERT_TRUE(examined.position.stored);
  EXPECT_LE(before->next_xid, examined.position.stored->position.xid);
  EXPECT_GT(examined.server->next_xid, examined.position.stored->position.xid);
  EXPECT_TRUE(findings.all.empty());
}

}  // namespace
}  // namespace walduct::operate
