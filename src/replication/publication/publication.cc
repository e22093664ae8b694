#include "replication/publication/publication.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "postgres/oid_text.h"
#include "postgres/server_check.h"
#include "replication/options.h"
#include "replication/publication/publication_advice.h"
#include "replication/publication/publication_catalog.h"
#include "replication/publication/publication_errors.h"
#include "replication/publication/publication_sql.h"
#include "replication/publication_name.h"

namespace walduct::replication {
namespace {

// $1: for all tables; $2: those it names. What this role lacks; '' nothing.
constexpr absl::string_view kRights = R"(
SELECT CASE
  WHEN r.rolsuper THEN ''
  WHEN NOT pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE')
    THEN 'it has no CREATE on the database'
  WHEN $1::pg_catalog.bool THEN 'FOR ALL TABLES needs a superuser'
  ELSE coalesce((SELECT 'it does not own ' || pg_catalog.min(pg_catalog.format('%I.%I', n.nspname, c.relname))
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.oid = ANY ($2::pg_catalog.oid[]) AND NOT pg_catalog.pg_has_role(c.relowner, 'USAGE')), '')
  END
FROM pg_catalog.pg_roles r WHERE r.rolname = current_user)";

// $1: the publication; $2: the tables that are put into it. As kRights; then what makes it the
// role's, where it is not.
constexpr absl::string_view kAlterRights = R"(
SELECT CASE
  WHEN r.rolsuper THEN ''
  WHEN NOT pg_catalog.pg_has_role(p.pubowner, 'USAGE') THEN 'it does not own the publication'
  ELSE coalesce((SELECT 'it does not own ' || pg_catalog.min(pg_catalog.format('%I.%I', n.nspname, c.relname))
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.oid = ANY ($2::pg_catalog.oid[]) AND NOT pg_catalog.pg_has_role(c.relowner, 'USAGE')), '')
  END,
  CASE WHEN NOT pg_catalog.pg_has_role(p.pubowner, 'USAGE')
    THEN pg_catalog.format('ALTER PUBLICATION %I OWNER TO %I', p.pubname, current_user) ELSE '' END
FROM pg_catalog.pg_roles r, pg_catalog.pg_publication p
WHERE r.rolname = current_user AND p.pubname = $1)";

constexpr size_t kMostOthers = 5;
// Those that have one of the tables at least: no other can be meant. The more, the sooner. A
// partitioned one is named by itself, or by its partitions, all of which the server lists.
constexpr absl::string_view kOthers = R"(
SELECT pg_catalog.quote_ident(p.pubname), p.pubname FROM pg_catalog.pg_publication p,
LATERAL (SELECT pg_catalog.count(*) AS tables FROM (
  SELECT r.prrelid FROM pg_catalog.pg_publication_rel r
  WHERE r.prpubid = p.oid AND r.prrelid = ANY ($1::pg_catalog.oid[])
  UNION SELECT t.relid FROM pg_catalog.pg_get_publication_tables(p.pubname::pg_catalog.text) t
  WHERE t.relid = ANY ($1::pg_catalog.oid[])) m) has
WHERE has.tables > 0 ORDER BY has.tables DESC, 1)";

// Without a colon, by which a script of the doctor finds the statement behind it.
constexpr absl::string_view kGrantsHint =
    "docs/security.md (filtered) has the grants with which this role does it itself; or ";

// A publication without tables would help nobody.
std::string CreateHint(absl::string_view name, const PublicationWish& wish,
                       absl::string_view where) {
  if (wish.tables.empty())
    return "check database.dbname, and table.include.list and schema.include.list: no table of "
           "this database is captured";
  return absl::StrCat(where, CreatePublicationHint(name, wish), "; then start again");
}

// The name may be misspelt, or that of Debezium's own may be meant.
// read: by other connectors, which are not meant.
// tables: captured ones.
std::string OthersHint(postgres::Connection& connection, const std::vector<PublishedTable>& tables,
                       const std::set<std::string>& read) {
  std::vector<Oid> captured;
  for (const PublishedTable& table : tables) captured.push_back(table.relation);
  const auto others = connection.Query(postgres::Rows(2), kOthers, {postgres::OidArray(captured)});
  if (!others.ok()) return "";
  std::vector<std::string> names;
  for (int row = 0; row < others->rows() && names.size() < kMostOthers; ++row) {
    if (!read.contains(std::string(others->Get(row, 1)))) names.emplace_back(others->Get(row, 0));
  }
  if (names.empty()) return "";
  return absl::StrCat(
      "where one is meant that is there, and that no other connector reads by, set "
      "publication.name to its name (",
      absl::StrJoin(names, ", "), "), and make none; else ");
}

absl::Status Missing(postgres::Connection& connection, absl::string_view name,
                     const PublicationWish& wish, const std::set<std::string>& read,
                     absl::string_view why, absl::string_view where) {
  return Error(
      absl::StatusCode::kFailedPrecondition, "publication_missing",
      absl::StrCat("publication ", postgres::QuoteIdentifier(name), " does not exist in database ",
                   postgres::QuoteIdentifier(connection.database()), ", and ", why),
      OthersHint(connection, wish.tables, read) + CreateHint(name, wish, where));
}

class Publisher {
 public:
  Publisher(postgres::Connection& connection, PublicationWish wish, bool in_recovery,
            std::set<std::string> read_by_others = {})
      : connection_(connection),
        wish_(std::move(wish)),
        in_recovery_(in_recovery),
        read_by_others_(std::move(read_by_others)) {}

  // What can be said before anything is tried.
  absl::Status CheckCreate(const std::string& name) const {
    if (wish_.mode == PublicationAutocreate::kDisabled) {
      return Missing(connection_, name, wish_, read_by_others_,
                     "publication.autocreate.mode=disabled does not allow creating it", "");
    }
    if (in_recovery_) {
      return Missing(connection_, name, wish_, read_by_others_, "a standby cannot create it",
                     "on the primary: ");
    }
    if (wish_.mode == PublicationAutocreate::kFiltered && wish_.tables.empty()) {
      return Error(
          absl::StatusCode::kFailedPrecondition, "publication_without_tables",
          absl::StrCat("no table found for filtered publication ", postgres::QuoteIdentifier(name),
                       " in database ", postgres::QuoteIdentifier(connection_.database())),
          "check database.dbname, table.include.list and schema.include.list: they must match at "
          "least one permanent table");
    }
    return absl::OkStatus();
  }

  absl::Status Create(const std::string& name) {
    RETURN_IF_ERROR(CheckCreate(name));
    if (RefusesWrites()) AdviseBeforePublication(connection_, Named());
    const std::string sql = CreatePublicationSql(name, wish_);
    const absl::Status status = connection_.Run(absl::StrCat(kLockTimeout, sql));
    if (LostRace(status)) return status;
    if (!status.ok()) return Explained(status, name);
    log::Info("publication created", {{"publication", name}, {"tables", TableCount()}});
    return absl::OkStatus();
  }

  // sql: what is to be done; "" nothing.
  absl::Status CheckAdjust(const PublicationState& state, const std::string& sql) const {
    if (wish_.mode == PublicationAutocreate::kFiltered && state.all_tables) {
      return Error(
          absl::StatusCode::kFailedPrecondition, "publication_for_all_tables",
          absl::StrCat(
              "publication ", postgres::QuoteIdentifier(state.name),
              " is FOR ALL TABLES, which publication.autocreate.mode=filtered cannot change"),
          "set publication.autocreate.mode=all_tables or disabled, or choose another "
          "publication.name");
    }
    if (sql.empty() || !in_recovery_) return absl::OkStatus();
    return Error(absl::StatusCode::kFailedPrecondition, "publication_outdated",
                 absl::StrCat("publication ", postgres::QuoteIdentifier(state.name),
                              " does not match the configuration, and a standby cannot alter it"),
                 absl::StrCat("on the primary: ", sql));
  }

  absl::Status Adjust(const PublicationState& state) {
    const std::string sql = AlterPublicationSql(state, wish_);
    RETURN_IF_ERROR(CheckAdjust(state, sql));
    if (sql.empty()) return absl::OkStatus();
    // One simple query is one transaction: all of it or nothing.
    const absl::Status status = connection_.Run(absl::StrCat(kLockTimeout, sql));
    // What was to be dropped from the publication has gone with its table.
    const bool gone = ErrorReason(status) == "publication_missing";
    if (LostRace(status) || gone) return status;
    if (absl::IsPermissionDenied(status)) RETURN_IF_ERROR(CheckAlterRights(state, sql));
    if (!status.ok()) return AndGrants(ExplainPublicationError(status, state.name, sql));
    log::Info("publication altered", {{"publication", state.name}, {"tables", TableCount()}});
    return absl::OkStatus();
  }

  // Looks only, at a publication that is to be created: `may` is what keeps this role from it.
  absl::Status CheckRights(const std::string& name) const {
    const bool all = wish_.mode == PublicationAutocreate::kAllTables;
    ASSIGN_OR_RETURN(const postgres::Result result,
                     connection_.Query(postgres::OneRow(1), kRights, {absl::StrCat(all), Oids()}));
    if (result.Get(0, 0).empty()) return absl::OkStatus();
    return Explained(absl::PermissionDeniedError(result.Get(0, 0)), name);
  }

  // The same, of one that is there. sql: what is to be done to it.
  absl::Status CheckAlterRights(const PublicationState& state, const std::string& sql) const {
    if (sql.empty()) return absl::OkStatus();
    std::vector<Oid> added;
    for (const PublishedTable& table : AddedTables(state, wish_)) added.push_back(table.relation);
    ASSIGN_OR_RETURN(const postgres::Result result,
                     connection_.Query(postgres::Rows(2), kAlterRights,
                                       {state.name, postgres::OidArray(added)}));
    if (result.rows() == 0 || result.Get(0, 0).empty()) return absl::OkStatus();
    // One of all tables, or of a schema, is a superuser's.
    const bool may_own = !state.all_tables && state.schemas.empty();
    const absl::Status error =
        ExplainPublicationError(absl::PermissionDeniedError(result.Get(0, 0)), state.name, sql,
                                may_own ? result.Get(0, 1) : "");
    return may_own ? AndGrants(error) : error;
  }

  // Whether the applications that write to its tables might be refused.
  bool RefusesWrites() const {
    const auto published = [this](absl::string_view operation) {
      return !wish_.operations || std::find(wish_.operations->begin(), wish_.operations->end(),
                                            operation) != wish_.operations->end();
    };
    return wish_.mode != PublicationAutocreate::kNoTables &&
           (published("update") || published("delete"));
  }

  // The tables it will name; absent: all.
  std::optional<std::vector<PublishedTable>> Named() const {
    if (wish_.mode == PublicationAutocreate::kAllTables) return std::nullopt;
    return wish_.tables;
  }

 private:
  // Of the statement that creates it.
  absl::Status Explained(const absl::Status& status, const std::string& name) const {
    const absl::Status error =
        ExplainPublicationError(status, name, CreatePublicationHint(name, wish_));
    if (!absl::IsPermissionDenied(error)) return error;
    return AndGrants(
        Error(error.code(), ErrorReason(error), error.message(),
              OthersHint(connection_, wish_.tables, read_by_others_) + ErrorHint(error)));
  }

  // What lets this role do it itself comes first. all_tables needs a superuser in any case.
  absl::Status AndGrants(const absl::Status& error) const {
    if (wish_.mode != PublicationAutocreate::kFiltered ||
        ErrorReason(error) != "publication_not_permitted")
      return error;
    return Error(error.code(), ErrorReason(error), error.message(),
                 absl::StrCat(kGrantsHint, ErrorHint(error)));
  }

  std::string Oids() const {
    std::vector<Oid> oids;
    if (wish_.mode == PublicationAutocreate::kFiltered) {
      for (const PublishedTable& table : wish_.tables) oids.push_back(table.relation);
    }
    return postgres::OidArray(oids);
  }

  std::string TableCount() const {
    switch (wish_.mode) {
      case PublicationAutocreate::kAllTables:
        return "all";
      case PublicationAutocreate::kFiltered:
        return absl::StrCat(wish_.tables.size());
      case PublicationAutocreate::kDisabled:
      case PublicationAutocreate::kNoTables:
        break;
    }
    return "0";
  }

  postgres::Connection& connection_;
  PublicationWish wish_;
  bool in_recovery_;
  std::set<std::string> read_by_others_;
};

absl::StatusOr<PublicationWish> MakeWish(postgres::Connection& connection,
                                         const ReplicationOptions& options,
                                         const std::vector<postgres::TableName>& captured) {
  const int version = connection.server_version();
  if (options.publish_via_partition_root && version < 130000) {
    return Error(absl::StatusCode::kUnimplemented, "partition_root_unsupported",
                 "publish.via.partition.root needs PostgreSQL 13 or newer",
                 "set publish.via.partition.root=false");
  }
  PublicationWish wish;
  wish.mode = options.publication_autocreate;
  wish.via_partition_root = options.publish_via_partition_root;
  if (options.publish_operations)
    wish.operations = SplitOperations(*options.publish_operations, version);
  ASSIGN_OR_RETURN(wish.tables, PublishableTables(connection, captured));
  return wish;
}

}  // namespace

absl::StatusOr<std::vector<PublishedTable>> EnsurePublication(
    postgres::Connection& connection, const ReplicationOptions& options,
    const std::vector<postgres::TableName>& captured, const std::set<std::string>& read_by_others) {
  ASSIGN_OR_RETURN(const bool in_recovery, postgres::IsInRecovery(connection));
  PublicationWish wish;
  std::vector<PublishedTable> added;
  absl::Status status;
  std::string name;
  for (int attempt = 0; attempt < kPublicationAttempts; ++attempt) {
    ASSIGN_OR_RETURN(wish, MakeWish(connection, options, captured));
    Publisher publisher(connection, wish, in_recovery, read_by_others);
    ASSIGN_OR_RETURN(name, ResolvePublicationName(connection, options.publication_name));
    ASSIGN_OR_RETURN(const std::optional<PublicationState> state,
                     ReadPublication(connection, name));
    added = AddedTables(state.value_or(PublicationState()), wish);
    status = state ? publisher.Adjust(*state) : publisher.Create(name);
    const bool gone = state && ErrorReason(status) == "publication_missing";
    if (!LostRace(status) && !gone) break;
  }
  RETURN_IF_ERROR(status);
  const bool wants_tables = options.publication_autocreate != PublicationAutocreate::kNoTables;
  AdviseOnPublication(connection, name, wants_tables ? wish.tables : std::vector<PublishedTable>());
  return added;
}

absl::StatusOr<bool> TakesNewTables(postgres::Connection& connection, const std::string& name) {
  ASSIGN_OR_RETURN(const std::string resolved, ResolvePublicationName(connection, name));
  ASSIGN_OR_RETURN(const std::optional<PublicationState> state,
                   ReadPublication(connection, resolved));
  return state && (state->all_tables || !state->schemas.empty());
}

absl::StatusOr<std::vector<Advice>> CheckPublication(
    postgres::Connection& connection, const ReplicationOptions& options,
    const std::vector<postgres::TableName>& captured, const std::set<std::string>& read_by_others) {
  ASSIGN_OR_RETURN(const bool in_recovery, postgres::IsInRecovery(connection));
  ASSIGN_OR_RETURN(const PublicationWish wish, MakeWish(connection, options, captured));
  ASSIGN_OR_RETURN(const std::string name,
                   ResolvePublicationName(connection, options.publication_name));
  ASSIGN_OR_RETURN(const std::optional<PublicationState> state, ReadPublication(connection, name));
  const Publisher publisher(connection, wish, in_recovery, read_by_others);
  if (state) {
    const std::string sql = AlterPublicationSql(*state, wish);
    RETURN_IF_ERROR(publisher.CheckAdjust(*state, sql));
    RETURN_IF_ERROR(publisher.CheckAlterRights(*state, sql));
    const bool wants_tables = options.publication_autocreate != PublicationAutocreate::kNoTables;
    // Those that a start adds are no advice.
    const bool adds = options.publication_autocreate == PublicationAutocreate::kFiltered;
    return ListOnPublication(connection, name,
                             wants_tables && !adds ? wish.tables : std::vector<PublishedTable>());
  }
  RETURN_IF_ERROR(publisher.CheckCreate(name));
  RETURN_IF_ERROR(publisher.CheckRights(name));
  if (!publisher.RefusesWrites()) return std::vector<Advice>();
  return ListBeforePublication(connection, publisher.Named());
}

}  // namespace walduct::replication
