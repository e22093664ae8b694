// What `walduct demo` does to a database: it makes a schema with two tables, changes their rows and
// drops all of it again, with the publication that the connector makes. What is there before is
// refused and never touched. Blocks.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/environment.h"

namespace walduct::postgres {
class Connection;
struct DatabaseOptions;
}  // namespace walduct::postgres

namespace walduct::operate {

// Of postgres://USER:PASSWORD@HOST:PORT/DATABASE; empty: not given.
struct DemoUrl {
  std::string host, port, database, user, password, sslmode;
};
// InvalidArgument: it is no such address, or names no database or user.
absl::StatusOr<DemoUrl> ParseDemoUrl(const std::string& url);

// The statements that make the tables, for people to read.
std::vector<std::string> DemoTables(const std::string& schema);

struct DemoStep {
  std::string sql;
  size_t records = 0;  // that come of it
};
// The rows that the tables have at first are so many records of a snapshot.
inline constexpr size_t kDemoRows = 4;
std::vector<DemoStep> DemoSteps(const std::string& schema);

class DemoDatabase {
 public:
  // database is borrowed. name: of schema, slot and publication.
  static absl::StatusOr<std::unique_ptr<DemoDatabase>> Open(
      const postgres::DatabaseOptions& database, std::string name, const Environment& environment);
  ~DemoDatabase();

  // FailedPrecondition wal_level_not_logical and others that a start would give.
  // AlreadyExists demo_exists names what is there, and how to drop it.
  absl::Status CheckNothingIsThere();
  absl::Status MakeTables();
  absl::Status Run(const std::string& sql);

  struct Dropped {
    std::vector<std::string> done;  // the statements
    absl::Status status;            // the first that failed
  };
  // All that this object has made. What somebody else has put into the schema stays, and the schema
  // with it.
  Dropped DropAll();

 private:
  DemoDatabase(const postgres::DatabaseOptions& database, std::string name,
               const Environment& environment);
  absl::Status Connect();

  const postgres::DatabaseOptions& database_;
  const std::string name_;
  const Environment environment_;
  std::unique_ptr<postgres::Connection> connection_;
  bool made_ = false;
};

}  // namespace walduct::operate
