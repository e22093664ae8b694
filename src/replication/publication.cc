#include "replication/publication.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "replication/publication_advice.h"
#include "replication/publication_catalog.h"
#include "replication/publication_sql.h"

namespace walduct::replication {
namespace {

constexpr absl::string_view kInRecovery = "SELECT pg_catalog.pg_is_in_recovery()";
constexpr size_t kMaxTablesInHint = 200;
// Two instances that start together: one creates the publication, the other finds it the second
// time. And tables may be dropped between the look at them and the statement that names them.
constexpr int kAttempts = 10;
// Naming a table locks it: nobody waits in silence behind whoever holds it.
constexpr absl::string_view kLockTimeout = "SET LOCAL lock_timeout = '10s'; ";

PublicationWish ForHint(PublicationWish wish) {
  if (wish.tables.size() > kMaxTablesInHint) wish.tables.resize(kMaxTablesInHint);
  return wish;
}

absl::Status Missing(absl::string_view name, const PublicationWish& wish, absl::string_view why,
                     absl::string_view where) {
  return Error(
      absl::StatusCode::kFailedPrecondition, "publication_missing",
      absl::StrCat("publication ", postgres::QuoteIdentifier(name), " does not exist, and ", why),
      absl::StrCat(where, CreatePublicationSql(name, ForHint(wish)), "; then start again"));
}

// Ownership of the tables is needed, FOR ALL TABLES needs a superuser: often an administrator must
// do it.
absl::Status Explained(const absl::Status& status, absl::string_view name, absl::string_view sql) {
  if (!absl::IsPermissionDenied(status)) {
    return WithContext(status, absl::StrCat("publication ", postgres::QuoteIdentifier(name)));
  }
  return Error(absl::StatusCode::kPermissionDenied, "publication_not_permitted",
               absl::StrCat("this role may not create or alter publication ",
                            postgres::QuoteIdentifier(name), ": ", status.message()),
               absl::StrCat("have the owner of the tables or a superuser run: ", sql,
                            "; and set publication.autocreate.mode=disabled"));
}

bool LostRace(const absl::Status& status) {
  const std::string reason = ErrorReason(status);
  return reason == "object_exists" || reason == "constraint_violation" ||
         reason == "table_missing" || reason == "schema_missing" || reason == "relation_vanished";
}

class Publisher {
 public:
  Publisher(postgres::Connection& connection, PublicationWish wish, bool in_recovery)
      : connection_(connection), wish_(std::move(wish)), in_recovery_(in_recovery) {}

  absl::Status Create(const std::string& name) {
    if (wish_.mode == PublicationAutocreate::kDisabled) {
      return Missing(name, wish_, "publication.autocreate.mode=disabled does not allow creating it",
                     "");
    }
    if (in_recovery_) return Missing(name, wish_, "a standby cannot create it", "on the primary: ");
    if (wish_.mode == PublicationAutocreate::kFiltered && wish_.tables.empty()) {
      return Error(
          absl::StatusCode::kFailedPrecondition, "publication_without_tables",
          absl::StrCat("no table found for filtered publication ", postgres::QuoteIdentifier(name)),
          "check table.include.list and schema.include.list: they must match at least one "
          "permanent table");
    }
    WarnOfRefusedWrites();
    const std::string sql = CreatePublicationSql(name, wish_);
    const absl::Status status = connection_.Query(absl::StrCat(kLockTimeout, sql)).status();
    if (LostRace(status)) return status;
    if (!status.ok()) return Explained(status, name, CreatePublicationSql(name, ForHint(wish_)));
    log::Info("publication created", {{"publication", name}, {"tables", TableCount()}});
    return absl::OkStatus();
  }

  absl::Status Adjust(const PublicationState& state) {
    if (wish_.mode == PublicationAutocreate::kFiltered && state.all_tables) {
      return Error(
          absl::StatusCode::kFailedPrecondition, "publication_for_all_tables",
          absl::StrCat(
              "publication ", postgres::QuoteIdentifier(state.name),
              " is FOR ALL TABLES, which publication.autocreate.mode=filtered cannot change"),
          "set publication.autocreate.mode=all_tables or disabled, or choose another "
          "publication.name");
    }
    const std::string sql = AlterPublicationSql(state, wish_);
    if (sql.empty()) return absl::OkStatus();
    if (in_recovery_) {
      return Error(absl::StatusCode::kFailedPrecondition, "publication_outdated",
                   absl::StrCat("publication ", postgres::QuoteIdentifier(state.name),
                                " does not match the configuration, and a standby cannot alter it"),
                   absl::StrCat("on the primary: ", sql));
    }
    // One simple query is one transaction: all of it or nothing.
    const absl::Status status = connection_.Query(absl::StrCat(kLockTimeout, sql)).status();
    // What was to be dropped from the publication has gone with its table.
    const bool gone = ErrorReason(status) == "publication_missing";
    if (LostRace(status) || gone) return status;
    if (!status.ok()) return Explained(status, state.name, sql);
    log::Info("publication altered", {{"publication", state.name}, {"tables", TableCount()}});
    return absl::OkStatus();
  }

 private:
  // Before it happens to the applications that write to them.
  void WarnOfRefusedWrites() {
    const auto published = [this](absl::string_view operation) {
      return !wish_.operations || std::find(wish_.operations->begin(), wish_.operations->end(),
                                            operation) != wish_.operations->end();
    };
    if (wish_.mode == PublicationAutocreate::kNoTables) return;
    if (!published("update") && !published("delete")) return;
    const bool all = wish_.mode == PublicationAutocreate::kAllTables;
    AdviseBeforePublication(connection_, all ? std::nullopt : std::optional(wish_.tables));
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

bool HasCapitals(absl::string_view name) { return FoldName(name) != name; }

}  // namespace

absl::StatusOr<std::string> ResolvePublicationName(postgres::Connection& connection,
                                                   absl::string_view name) {
  if (!HasCapitals(name)) return std::string(name);
  const std::string folded = FoldName(name);
  ASSIGN_OR_RETURN(const postgres::Result result,
                   connection.Query(absl::StrCat(
                       "SELECT pubname FROM pg_catalog.pg_publication WHERE pubname IN (",
                       postgres::QuoteLiteral(name), ", ", postgres::QuoteLiteral(folded), ")")));
  bool exact = false;
  for (int row = 0; row < result.rows(); ++row) exact = exact || result.Get(row, 0) == name;
  return exact || result.rows() == 0 ? std::string(name) : folded;
}

absl::Status EnsurePublication(postgres::Connection& connection, const ReplicationOptions& options,
                               const std::vector<postgres::TableName>& captured) {
  ASSIGN_OR_RETURN(const postgres::Result recovery, connection.Query(kInRecovery));
  PublicationWish wish;
  absl::Status status;
  std::string name;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    ASSIGN_OR_RETURN(wish, MakeWish(connection, options, captured));
    Publisher publisher(connection, wish, recovery.Get(0, 0) == "t");
    ASSIGN_OR_RETURN(name, ResolvePublicationName(connection, options.publication_name));
    ASSIGN_OR_RETURN(const std::optional<PublicationState> state,
                     ReadPublication(connection, name));
    status = state ? publisher.Adjust(*state) : publisher.Create(name);
    const bool gone = state && ErrorReason(status) == "publication_missing";
    if (!LostRace(status) && !gone) break;
  }
  RETURN_IF_ERROR(status);
  const bool wants_tables = options.publication_autocreate != PublicationAutocreate::kNoTables;
  AdviseOnPublication(connection, name, wants_tables ? wish.tables : std::vector<PublishedTable>());
  return absl::OkStatus();
}

}  // namespace walduct::replication
