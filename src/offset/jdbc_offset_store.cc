#include "offset/jdbc_offset_store.h"

#include <algorithm>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "offset/jdbc_options.h"
#include "postgres/connection_options.h"

namespace walduct::offset {
namespace {

using postgres::OneRow;
using postgres::Rows;

// As Debezium makes it, but for the length of a position, which has no bound.
constexpr absl::string_view kTable =
    "CREATE TABLE %s (id VARCHAR(36) NOT NULL, offset_key VARCHAR(1255), offset_val TEXT, "
    "record_insert_ts TIMESTAMP NOT NULL, record_insert_seq INTEGER NOT NULL, PRIMARY KEY (id))";

size_t Characters(absl::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

std::unique_ptr<OffsetStore> JdbcOffsetStore::Create(const JdbcOptions& options,
                                                     OffsetIdentity identity,
                                                     const Environment& environment,
                                                     absl::Duration timeout) {
  return std::unique_ptr<OffsetStore>(
      new JdbcOffsetStore(options, std::move(identity), environment, timeout));
}

JdbcOffsetStore::JdbcOffsetStore(const JdbcOptions& options, OffsetIdentity identity,
                                 const Environment& environment, absl::Duration timeout)
    : options_(std::make_unique<const JdbcOptions>(options)),
      identity_(std::move(identity)),
      environment_(environment),
      timeout_(timeout) {}

absl::Status JdbcOffsetStore::Failed(const absl::Status& error) {
  connection_.reset();  // and with it the lock of a transaction that was begun
  return WithContext(error, absl::StrCat("the position in table ", options_->table, " of ",
                                         options_->database.hostname, ":", options_->database.port,
                                         "/", options_->database.dbname));
}

absl::Status JdbcOffsetStore::Connect() {
  if (connection_ != nullptr && connection_->CheckAlive().ok()) return absl::OkStatus();
  postgres::ConnectionOptions options{.database = options_->database, .environment = environment_};
  options.database.connect_timeout = std::min(options.database.connect_timeout, timeout_);
  options.database.query_timeout = timeout_;
  options.application_name = absl::StrCat("walduct offsets ", identity_.connector_name);
  if (!options_->schemas.empty())
    options.database.initial_statements = {absl::StrCat("SET search_path = ", options_->schemas)};
  options.keep_search_path = true;
  ASSIGN_OR_RETURN(connection_, postgres::Connection::Open(std::move(options)));
  table_.clear();
  ASSIGN_OR_RETURN(
      const postgres::Result commits,
      connection_->Query(OneRow(1), "SELECT pg_catalog.current_setting('synchronous_commit')"));
  // What the server has told to be stored has to be so.
  if (commits.Get(0, 0) != "off") return absl::OkStatus();
  return connection_->Set("synchronous_commit", "on");
}

// Its name, and how long a position it takes.
absl::Status JdbcOffsetStore::Find() {
  RETURN_IF_ERROR(Connect());
  if (!table_.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(
      const postgres::Result found,
      connection_->Query(Rows(2),
                         "SELECT c.oid, a.atttypmod OPERATOR(pg_catalog.-) 4 "
                         "FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_attribute a ON "
                         "a.attrelid = c.oid AND "
                         "a.attname = 'offset_val' WHERE c.oid = pg_catalog.to_regclass($1)",
                         {options_->table}));
  if (found.rows() == 0) return absl::OkStatus();
  if (!absl::SimpleAtoi(found.Get(0, 1), &max_characters_) || max_characters_ < 0)
    max_characters_ = 0;
  table_ = options_->table;
  return absl::OkStatus();
}

absl::StatusOr<JdbcOffsetStore::Held> JdbcOffsetStore::Read() {
  Held held;
  if (table_.empty()) return held;
  ASSIGN_OR_RETURN(
      const postgres::Result rows,
      connection_->Query(Rows(3), absl::StrCat("SELECT id, offset_key, offset_val FROM ", table_,
                                               " ORDER BY record_insert_ts, record_insert_seq")));
  for (int i = 0; i < rows.rows(); ++i) {
    if (!KeyBelongsTo(rows.Get(i, 1), identity_)) continue;
    held.ids.emplace_back(rows.Get(i, 0));
    held.key = std::string(rows.Get(i, 1));
    held.value.reset();
    if (!rows.is_null(i, 2)) held.value = std::string(rows.Get(i, 2));
  }
  return held;
}

absl::StatusOr<std::optional<StoredOffset>> JdbcOffsetStore::Load() {
  if (const absl::Status found = Find(); !found.ok()) return Failed(found);
  absl::StatusOr<Held> held = Read();
  if (!held.ok()) return Failed(held.status());
  value_.Saw(held->value);
  if (!held->value) return std::optional<StoredOffset>();
  absl::StatusOr<StoredOffset> offset = DecodeOffset(*held->value);
  if (!offset.ok()) return Failed(offset.status());
  return std::optional<StoredOffset>(*std::move(offset));
}

absl::Status JdbcOffsetStore::Prepare() {
  if (const absl::Status found = Find(); !found.ok()) return Failed(found);
  if (!table_.empty()) return absl::OkStatus();
  const std::string sql = absl::StrReplaceAll(options_->ddl.empty() ? kTable : options_->ddl,
                                              {{"%s", options_->table}});
  if (const absl::Status made = connection_->Run(sql); !made.ok()) {
    // Another connector may have made it meanwhile.
    if (!Find().ok() || table_.empty()) return Failed(made);
  }
  if (const absl::Status found = Find(); !found.ok()) return Failed(found);
  if (!table_.empty()) return absl::OkStatus();
  return Failed(Error(absl::StatusCode::kFailedPrecondition, "offset_table_missing",
                      "the statement of offset.storage.jdbc.table.ddl has not made the table",
                      "write %s where it has the table's name, or leave the property out"));
}

absl::Status JdbcOffsetStore::CheckUnchanged(const Held& held) {
  // A table that was emptied holds nobody's position.
  return held.value ? value_.CheckUnchanged(held.value, "") : absl::OkStatus();
}

absl::Status JdbcOffsetStore::CheckFits(const std::string& value) const {
  const size_t characters = Characters(value);
  if (max_characters_ == 0 || characters <= static_cast<size_t>(max_characters_))
    return absl::OkStatus();
  return Error(
      absl::StatusCode::kFailedPrecondition, "offset_too_long",
      absl::StrCat("it has ", characters, " characters, column offset_val takes ", max_characters_),
      absl::StrCat("ALTER TABLE ", options_->table,
                   " ALTER COLUMN offset_val TYPE text; Debezium reads it as before"));
}

absl::StatusOr<bool> JdbcOffsetStore::SaveInPlace(const std::string& value) {
  if (!value_.seen() || value_.unsure()) return false;
  value_.Try(value);
  ASSIGN_OR_RETURN(
      const postgres::Result saved,
      connection_->Query(
          Rows(1),
          absl::StrCat("UPDATE ", table_,
                       " SET offset_val = $1, record_insert_ts = pg_catalog.clock_timestamp(), "
                       "record_insert_seq = record_insert_seq OPERATOR(pg_catalog.+) 1 "
                       "WHERE offset_key = $2 AND offset_val = $3 RETURNING id"),
          {value, OffsetKey(identity_), *value_.seen()}));
  return saved.rows() > 0;
}

absl::Status JdbcOffsetStore::Remove(const Held& held) {
  for (const std::string& id : held.ids) {
    RETURN_IF_ERROR(connection_->Run({.sql = absl::StrCat("DELETE FROM ", table_, " WHERE id = $1"),
                                      .parameters = {id},
                                      .answer = {}}));
  }
  return absl::OkStatus();
}

// Nobody else writes meanwhile.
absl::Status JdbcOffsetStore::SaveAnew(const std::string& value) {
  RETURN_IF_ERROR(connection_->Run("BEGIN"));
  RETURN_IF_ERROR(
      connection_->Run(absl::StrCat("LOCK TABLE ", table_, " IN SHARE ROW EXCLUSIVE MODE")));
  ASSIGN_OR_RETURN(const Held held, Read());
  RETURN_IF_ERROR(CheckUnchanged(held));
  value_.Try(value);
  RETURN_IF_ERROR(Remove(held));
  RETURN_IF_ERROR(connection_->Run(
      {.sql = absl::StrCat("INSERT INTO ", table_,
                           " (id, offset_key, offset_val, record_insert_ts, record_insert_seq) "
                           "VALUES (pg_catalog.gen_random_uuid()::pg_catalog.text, $1, $2, "
                           "pg_catalog.clock_timestamp(), 1)"),
       .parameters = {OffsetKey(identity_), value},
       .answer = {}}));
  return connection_->Run("COMMIT");
}

absl::Status JdbcOffsetStore::StartSave(const StoredOffset& offset) {
  RETURN_IF_ERROR(Prepare());
  const std::string value = EncodeOffset(offset);
  if (const absl::Status fits = CheckFits(value); !fits.ok()) return Failed(fits);
  absl::StatusOr<bool> saved = SaveInPlace(value);
  if (!saved.ok()) return Failed(saved.status());
  if (!*saved) {
    if (const absl::Status anew = SaveAnew(value); !anew.ok()) return Failed(anew);
  }
  value_.Stored();
  return absl::OkStatus();
}

absl::Status JdbcOffsetStore::Erase() {
  if (const absl::Status found = Find(); !found.ok()) return Failed(found);
  absl::StatusOr<Held> held = Read();
  if (!held.ok()) return Failed(held.status());
  if (const absl::Status removed = Remove(*held); !removed.ok()) return Failed(removed);
  value_.Saw(std::nullopt);
  return absl::OkStatus();
}

}  // namespace walduct::offset
