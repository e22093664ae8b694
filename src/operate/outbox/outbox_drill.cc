#include "operate/outbox/outbox_drill.h"

#include <rapidjson/document.h>

#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "postgres/connection.h"
#include "postgres/open_session.h"

namespace walduct::operate {
namespace {

using postgres::QuoteIdentifier;

absl::Status Failed(const std::string& what) {
  return Error(absl::StatusCode::kDataLoss, "drill_failed", absl::StrCat("the drill: ", what));
}

int NumberAt(const postgres::Result& row, int column) {
  int number = 0;
  static_cast<void>(absl::SimpleAtoi(row.Get(0, column), &number));
  return number;
}

}  // namespace

DrillDatabase::DrillDatabase(const postgres::DatabaseOptions& database, std::string schema,
                             const Environment& environment)
    : database_(database),
      schema_(std::move(schema)),
      table_(absl::StrCat(QuoteIdentifier(schema_), ".outbox")),
      environment_(environment) {}

DrillDatabase::~DrillDatabase() = default;

absl::StatusOr<std::unique_ptr<DrillDatabase>> DrillDatabase::Open(
    const postgres::DatabaseOptions& database, std::string schema, const Environment& environment) {
  std::unique_ptr<DrillDatabase> drill(new DrillDatabase(database, std::move(schema), environment));
  RETURN_IF_ERROR(drill->Connect());
  return drill;
}

absl::Status DrillDatabase::Connect() {
  ASSIGN_OR_RETURN(connection_,
                   postgres::OpenSession(database_, "walduct outbox drill", environment_));
  return absl::OkStatus();
}

absl::Status DrillDatabase::Make() {
  ASSIGN_OR_RETURN(
      const auto there,
      connection_->Query(postgres::OneRow(2),
                         "SELECT count(*), current_user FROM pg_catalog.pg_namespace WHERE "
                         "nspname = $1",
                         {schema_}));
  if (there.Get(0, 0) != "0")
    return Error(absl::StatusCode::kAlreadyExists, "drill_exists",
                 absl::StrCat("database \"", connection_->database(), "\" has already a schema ",
                              schema_, "; a drill touches nothing that is there"),
                 absl::StrCat("--schema NAME takes another; if it is of a drill that was killed: "
                              "DROP SCHEMA ",
                              QuoteIdentifier(schema_), " CASCADE"));
  RETURN_IF_ERROR(connection_->Run("BEGIN"));
  const absl::Status made =
      connection_->Run(absl::StrCat("CREATE SCHEMA ", QuoteIdentifier(schema_)));
  if (absl::IsPermissionDenied(made))
    return Error(made.code(), "permission_denied", made.message(),
                 absl::StrCat("GRANT CREATE ON DATABASE ", QuoteIdentifier(connection_->database()),
                              " TO ", QuoteIdentifier(there.Get(0, 1)),
                              "; or name a role that may create a schema (database.user)"));
  RETURN_IF_ERROR(made);
  RETURN_IF_ERROR(connection_->Run(absl::StrCat(
      "CREATE TABLE ", table_,
      " (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, aggregate_type text NOT NULL, "
      "aggregate_id text NOT NULL, event_type text NOT NULL, payload jsonb, created_at timestamptz "
      "NOT NULL DEFAULT now(), published_at timestamptz, attempts integer NOT NULL DEFAULT 0, "
      "last_error text, next_try_at timestamptz)")));
  RETURN_IF_ERROR(connection_->Run(
      absl::StrCat("CREATE INDEX ON ", table_, " (id) WHERE published_at IS NULL")));
  made_ = true;  // the answer to COMMIT may be lost
  return connection_->Run("COMMIT");
}

absl::Status DrillDatabase::Write() {
  const std::string insert = absl::StrCat(
      "INSERT INTO ", table_,
      " (aggregate_type, aggregate_id, event_type, payload) VALUES ($1, $2, 'Drilled', "
      "pg_catalog.jsonb_build_object('n', $3::int))");
  const auto put = [&](int number) {
    return connection_->Run({insert,
                             {number == kDrillBad ? "no topic!" : "events",
                              absl::StrCat(number % kDrillKeys), absl::StrCat(number)},
                             std::nullopt});
  };
  for (int number = 1; number <= kDrillEvents; ++number) RETURN_IF_ERROR(put(number));
  RETURN_IF_ERROR(connection_->Run("BEGIN"));
  RETURN_IF_ERROR(put(kDrillEvents + 1));
  return connection_->Run("ROLLBACK");
}

absl::Status DrillDatabase::Mend() {
  return connection_->Run(absl::StrCat("UPDATE ", table_, " SET aggregate_type = 'events' WHERE ",
                                       "(payload ->> 'n')::int = ", kDrillBad));
}

absl::StatusOr<DrillDatabase::State> DrillDatabase::Look() {
  ASSIGN_OR_RETURN(
      const auto counts,
      connection_->Query(
          postgres::OneRow(3),
          absl::StrCat("SELECT count(*) FILTER (WHERE published_at IS NULL), count(*) FILTER "
                       "(WHERE published_at IS NULL AND attempts >= ",
                       kDrillAttempts, "), max(id) FILTER (WHERE (payload ->> 'n')::int = ",
                       kDrillBad, ") FROM ", table_)));
  return State{.open = NumberAt(counts, 0),
               .parked = NumberAt(counts, 1),
               .row = std::string(counts.Get(0, 2))};
}

absl::Status DrillDatabase::Drop() {
  if (!made_) return absl::OkStatus();
  // A session of its own: the first may have ended with what is cleaned up after.
  RETURN_IF_ERROR(Connect());
  RETURN_IF_ERROR(connection_->Run(absl::StrCat("DROP TABLE IF EXISTS ", table_)));
  RETURN_IF_ERROR(
      connection_->Run(absl::StrCat("DROP SCHEMA IF EXISTS ", QuoteIdentifier(schema_))));
  made_ = false;
  return absl::OkStatus();
}

absl::Status DrillTally::Add(const DemoRecord& record) {
  const rapidjson::Document value = json::Parse(record.value.value_or(""));
  const rapidjson::Value* const member = json::Find(value, "n");
  int key = 0;
  if (member == nullptr || !member->IsInt() || !record.key ||
      !absl::SimpleAtoi(*record.key, &key) || key < 0 || key >= kDrillKeys)
    return Failed(absl::StrCat("what arrived in ", record.topic, " is no event of it"));
  const int number = member->GetInt();
  if (number > kDrillEvents)
    return Failed(absl::StrCat("event ", number, " was rolled back, and has arrived"));
  if (number % kDrillKeys != key)
    return Failed(absl::StrCat("event ", number, " has arrived with the key ", key));
  // The next of its key, and no other.
  int& last = last_[static_cast<size_t>(key)];
  const int next = last == 0 ? (key == 0 ? kDrillKeys : key) : last + kDrillKeys;
  if (number != next)
    return Failed(absl::StrCat("event ", number, " of key ", key, " has arrived where ", next,
                               " was to: ", number < next ? "twice" : "out of order"));
  last = number;
  ++come_;
  return absl::OkStatus();
}

int DrillTally::of_bad_key() const {
  const int last = last_[kDrillBad % kDrillKeys];
  return last == 0 ? 0 : (last - kDrillBad % kDrillKeys) / kDrillKeys + 1;
}

}  // namespace walduct::operate
