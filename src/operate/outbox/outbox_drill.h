// What `walduct outbox drill` does to a database: a schema of its own with an outbox table, events
// in it, one that cannot be published among them, and all of it dropped in the end. What is there
// before is refused and never touched. Blocks.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/environment.h"
#include "operate/commands/demo_events.h"

namespace walduct::postgres {
class Connection;
struct DatabaseOptions;
}  // namespace walduct::postgres

namespace walduct::operate {

// Events 1 … kDrillEvents, of kDrillKeys keys in turn, in a transaction each; kDrillBad cannot be
// published, until it is mended.
inline constexpr int kDrillEvents = 100, kDrillKeys = 10, kDrillBad = 55;
inline constexpr int kDrillAttempts = 2;

class DrillDatabase {
 public:
  // database is borrowed. schema: also what topics begin with.
  static absl::StatusOr<std::unique_ptr<DrillDatabase>> Open(
      const postgres::DatabaseOptions& database, std::string schema,
      const Environment& environment);
  ~DrillDatabase();

  // AlreadyExists drill_exists: the schema is there.
  absl::Status Make();
  // The events, and a transaction that is rolled back.
  absl::Status Write();
  absl::Status Mend();

  struct State {
    int open = 0, parked = 0;
    std::string row;  // that cannot be published, by its primary key
  };
  absl::StatusOr<State> Look();
  // What it has made; what somebody else has put into the schema stays, and the schema with it.
  absl::Status Drop();

 private:
  DrillDatabase(const postgres::DatabaseOptions& database, std::string schema,
                const Environment& environment);
  absl::Status Connect();

  const postgres::DatabaseOptions& database_;
  const std::string schema_, table_;
  const Environment environment_;
  std::unique_ptr<postgres::Connection> connection_;
  bool made_ = false;
};

// What of the drill has arrived: each event once, those of a key in their order, none that was
// rolled back.
class DrillTally {
 public:
  // DataLoss drill_failed: what is wrong with it.
  absl::Status Add(const DemoRecord& record);
  int come() const { return come_; }
  // Of the key of the event that cannot be published.
  int of_bad_key() const;

 private:
  std::vector<int> last_ = std::vector<int>(kDrillKeys, 0);
  int come_ = 0;
};

}  // namespace walduct::operate
