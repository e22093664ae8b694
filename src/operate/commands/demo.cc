#include "operate/commands/demo.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "postgres/connection.h"
#include "postgres/connection_url.h"
#include "postgres/open_session.h"

namespace walduct::operate {
namespace {

using postgres::QuoteIdentifier;

constexpr absl::string_view kThere = R"(
SELECT 'schema', nspname::pg_catalog.text FROM pg_catalog.pg_namespace WHERE nspname = $1
UNION ALL
SELECT 'publication', pubname::pg_catalog.text FROM pg_catalog.pg_publication WHERE pubname = $1
UNION ALL
SELECT 'slot', slot_name::pg_catalog.text FROM pg_catalog.pg_replication_slots
WHERE slot_name = $1)";

std::string DropOf(absl::string_view what, const std::string& name) {
  if (what == "slot")
    return absl::StrCat("SELECT pg_drop_replication_slot(", postgres::QuoteLiteral(name), ")");
  return absl::StrCat(what == "schema" ? "DROP SCHEMA " : "DROP PUBLICATION ",
                      QuoteIdentifier(name), what == "schema" ? " CASCADE" : "");
}

std::string Table(const std::string& schema, absl::string_view table) {
  return absl::StrCat(QuoteIdentifier(schema), ".", table);
}

}  // namespace

absl::StatusOr<DemoUrl> ParseDemoUrl(const std::string& url) {
  ASSIGN_OR_RETURN(const postgres::ConnectionUrl read, postgres::ParseConnectionUrl(url));
  for (const auto& [value, what] : {std::pair(read.database, "/DATABASE"), {read.user, "USER@"}}) {
    if (value.empty())
      return absl::InvalidArgumentError(absl::StrCat(
          "--url: ", what, " is missing: postgres://USER:PASSWORD@HOST:PORT/DATABASE"));
  }
  return DemoUrl{.host = read.host.empty() ? "localhost" : read.host,
                 .port = read.port.empty() ? "5432" : read.port,
                 .database = read.database,
                 .user = read.user,
                 .password = read.password,
                 .sslmode = read.sslmode};
}

std::vector<std::string> DemoTables(const std::string& schema) {
  const std::string customers = Table(schema, "customers"), orders = Table(schema, "orders");
  return {
      absl::StrCat("CREATE SCHEMA ", QuoteIdentifier(schema)),
      absl::StrCat("CREATE TABLE ", customers,
                   " (id int PRIMARY KEY, name text NOT NULL, email text, "
                   "created timestamptz DEFAULT now())"),
      absl::StrCat("CREATE TABLE ", orders, " (id int PRIMARY KEY, customer int REFERENCES ",
                   customers, ", item text, quantity int, total numeric(10,2))"),
      absl::StrCat("ALTER TABLE ", orders, " REPLICA IDENTITY FULL"),
      absl::StrCat("INSERT INTO ", customers,
                   " (id, name, email) VALUES (1, 'Ada', 'ada@example.com'), (2, 'Linus', NULL)"),
      absl::StrCat("INSERT INTO ", orders,
                   " VALUES (100, 1, 'pump', 2, 318.00), (101, 2, 'valve', 5, 62.50)")};
}

std::vector<DemoStep> DemoSteps(const std::string& schema) {
  const std::string customers = Table(schema, "customers"), orders = Table(schema, "orders");
  return {{absl::StrCat("INSERT INTO ", customers,
                        " (id, name, email) VALUES (3, 'Grace', 'grace@example.com')"),
           1},
          {absl::StrCat("INSERT INTO ", orders, " VALUES (102, 3, 'pipe', 40, 199.60)"), 1},
          {absl::StrCat("UPDATE ", orders, " SET quantity = 41, total = 204.59 WHERE id = 102"), 1},
          {absl::StrCat("DELETE FROM ", orders, " WHERE id = 100"), 2},
          {absl::StrCat("UPDATE ", orders, " SET id = 201 WHERE id = 101"), 3}};
}

DemoDatabase::DemoDatabase(const postgres::DatabaseOptions& database, std::string name,
                           const Environment& environment)
    : database_(database), name_(std::move(name)), environment_(environment) {}

DemoDatabase::~DemoDatabase() = default;

absl::StatusOr<std::unique_ptr<DemoDatabase>> DemoDatabase::Open(
    const postgres::DatabaseOptions& database, std::string name, const Environment& environment) {
  std::unique_ptr<DemoDatabase> demo(new DemoDatabase(database, std::move(name), environment));
  RETURN_IF_ERROR(demo->Connect());
  return demo;
}

absl::Status DemoDatabase::Connect() {
  ASSIGN_OR_RETURN(connection_, postgres::OpenSession(database_, "walduct demo", environment_));
  return absl::OkStatus();
}

absl::Status DemoDatabase::CheckNothingIsThere() {
  ASSIGN_OR_RETURN(const postgres::Result level,
                   connection_->Query(postgres::Rows(1), "SHOW wal_level"));
  if (level.rows() == 1 && level.Get(0, 0) != "logical") {
    return Error(absl::StatusCode::kFailedPrecondition, "wal_level_not_logical",
                 absl::StrCat("wal_level is ", level.Get(0, 0), "; changes are read with logical"),
                 "ALTER SYSTEM SET wal_level = logical; then restart the server");
  }
  ASSIGN_OR_RETURN(const postgres::Result there,
                   connection_->Query(postgres::Rows(2), kThere, {name_}));
  if (there.rows() == 0) return absl::OkStatus();
  std::vector<std::string> names, drops;
  for (int row = 0; row < there.rows(); ++row) {
    names.push_back(absl::StrCat(there.Get(row, 0), " \"", there.Get(row, 1), "\""));
    drops.push_back(DropOf(there.Get(row, 0), name_));
  }
  return Error(absl::StatusCode::kAlreadyExists, "demo_exists",
               absl::StrCat("database \"", connection_->database(), "\" has already ",
                            absl::StrJoin(names, ", "), "; a demo touches nothing that is there"),
               absl::StrCat("--schema NAME takes another; if it is of a demo that was killed: ",
                            absl::StrJoin(drops, "; ")));
}

absl::Status DemoDatabase::MakeTables() {
  RETURN_IF_ERROR(connection_->Run("BEGIN"));
  for (const std::string& sql : DemoTables(name_)) RETURN_IF_ERROR(connection_->Run(sql));
  made_ = true;  // the answer to COMMIT may be lost
  return connection_->Run("COMMIT");
}

absl::Status DemoDatabase::Run(const std::string& sql) { return connection_->Run(sql); }

DemoDatabase::Dropped DemoDatabase::DropAll() {
  Dropped dropped;
  if (!made_) return dropped;
  // A session of its own: the first may have ended with what is cleaned up after.
  dropped.status = Connect();
  if (!dropped.status.ok()) return dropped;
  const std::vector<std::string> statements = {
      absl::StrCat("DROP PUBLICATION IF EXISTS ", QuoteIdentifier(name_)),
      absl::StrCat("DROP TABLE IF EXISTS ", Table(name_, "orders"), ", ",
                   Table(name_, "customers")),
      absl::StrCat("DROP SCHEMA IF EXISTS ", QuoteIdentifier(name_))};
  for (const std::string& sql : statements) {
    const absl::Status done = connection_->Run(sql);
    dropped.status.Update(done);
    if (done.ok()) dropped.done.push_back(sql);
  }
  made_ = !dropped.status.ok();
  return dropped;
}

}  // namespace walduct::operate
