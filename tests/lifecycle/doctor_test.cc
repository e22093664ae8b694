// What cannot be planted on a shared server: a clock that is wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "operate/doctor/checks.h"
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

}  // namespace
}  // namespace walduct::operate
