// PostgresServer: a private PostgreSQL cluster for tests, started at the first use in a test
// program and gone with it. wal_level=logical, SCRAM over TCP on 127.0.0.1, durability off.
// WALDUCT_TEST_POSTGRES_BIN chooses the binaries; default Debian's PostgreSQL 15. Missing binaries
// fail the test with one clear line; nothing is skipped.
#pragma once

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "postgres/connection.h"
#include "postgres/options.h"

namespace walduct::test_servers {

class PostgresServer {
 public:
  static constexpr char kPassword[] = "post gres'\\";  // awkward on purpose

  // Aborts the test program when the server does not start.
  static PostgresServer& Shared();
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;
  ~PostgresServer();

  // A new empty database, with the superuser's credentials.
  postgres::DatabaseOptions CreateDatabase();
  // Settings of the server itself, e.g. {"wal_level", "replica"}; restarts it. Pass "" to go back
  // to the default.
  void RestartWith(absl::string_view setting, absl::string_view value);
  uint16_t port() const { return port_; }

 private:
  PostgresServer();
  void Initialize();
  void Launch();
  void AwaitReady();
  void Terminate();
  int Execute(const std::string& command) const;

  std::string bin_;
  std::string directory_;
  uint16_t port_ = 0;
  int pid_ = -1;
  int databases_ = 0;
};

// A session, or the end of the test program.
std::unique_ptr<postgres::Connection> MustOpen(
    const postgres::DatabaseOptions& database,
    postgres::SessionKind kind = postgres::SessionKind::kSql);
// Runs SQL that must succeed; the first column of the first row, "" without rows.
std::string MustQuery(postgres::Connection& connection, absl::string_view sql);

}  // namespace walduct::test_servers
