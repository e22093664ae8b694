#include "replication/publication/replica_identity.h"

#include <map>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "java/regex/regex_list.h"
#include "postgres/oid_text.h"
#include "replication/options.h"
#include "replication/publication/publication.h"
#include "replication/publication/publication_sql.h"
#include "replication/publication/refused_writes.h"
#include "replication/publication_name.h"

namespace walduct::replication {
namespace {

// A table under heavy use must not queue behind an ALTER TABLE that waits for an old transaction.
constexpr absl::string_view kAlterTimeout = "5s";

constexpr absl::string_view kIdentities = R"(
SELECT c.oid, c.relreplident, ic.relname, pg_catalog.pg_is_in_recovery()
FROM pg_catalog.unnest($1::pg_catalog.oid[]) w(oid)
JOIN pg_catalog.pg_class c ON c.oid = w.oid
LEFT JOIN pg_catalog.pg_index i ON i.indrelid = c.oid AND i.indisreplident AND c.relreplident = 'i'
LEFT JOIN pg_catalog.pg_class ic ON ic.oid = i.indexrelid)";

constexpr absl::string_view kIndexes = R"(
SELECT ic.relname
FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class ic ON ic.oid = i.indexrelid
WHERE i.indrelid = $1::pg_catalog.oid AND ic.relname IN ($2, $3))";

// $1: the table. $2: the publication's name. $3: whether one that is still to be made refuses. $4:
// the index; '': FULL. Columns that are not sent; '': all of a column list.
constexpr absl::string_view kUnsent = R"(
SELECT pg_catalog.string_agg(pg_catalog.quote_ident(a.attname), ', ' ORDER BY a.attnum)
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid
LEFT JOIN pg_catalog.pg_publication p ON p.pubname = $2
LEFT JOIN LATERAL (SELECT r.*)";
constexpr absl::string_view kUnsentWhere = R"() r ON true
WHERE c.oid = $1::pg_catalog.oid AND a.attnum > 0 AND NOT a.attisdropped
  AND COALESCE(p.pubupdate OR p.pubdelete, $3::pg_catalog.bool)
  AND ($4 = '' OR EXISTS (
    SELECT FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class ic ON ic.oid = i.indexrelid
    WHERE i.indrelid = c.oid AND ic.relname = $4 AND a.attnum = ANY (i.indkey::pg_catalog.int2[])))
  AND CASE WHEN r.prattrs IS NOT NULL THEN $4 = '' OR NOT EXISTS (
        SELECT FROM pg_catalog.pg_attribute s WHERE s.attrelid = r.prrelid AND s.attname = a.attname
          AND s.attnum = ANY (r.prattrs::pg_catalog.int2[]))
      ELSE )";
// Generated columns count from PostgreSQL 18 on.
constexpr absl::string_view kUnsentGenerated =
    "a.attgenerated = 'v' OR (a.attgenerated = 's' AND p.pubgencols IS DISTINCT FROM 's') END";
constexpr absl::string_view kAllAreSent = "false END";

struct Wish {
  const postgres::TableName* table = nullptr;
  const ReplicaIdentityRule* rule = nullptr;
  std::string index;  // as the catalog writes it
};

std::string FullName(const postgres::TableName& table) {
  return absl::StrCat(table.schema, ".", table.table);
}

std::string Text(const Wish& wish) {
  return wish.index.empty() ? wish.rule->identity
                            : absl::StrCat("USING INDEX ", postgres::QuoteIdentifier(wish.index));
}

// Null: none, or more than one.
const ReplicaIdentityRule* RuleFor(const std::vector<ReplicaIdentityRule>& rules,
                                   const std::string& table) {
  const ReplicaIdentityRule* found = nullptr;
  for (const ReplicaIdentityRule& rule : rules) {
    if (!rule.tables->Matches(table)) continue;
    if (found != nullptr) {
      log::Error("replica identity not changed: several entries match the table",
                 {{"table", table}, {"property", "replica.identity.autoset.values"}});
      return nullptr;
    }
    found = &rule;
  }
  return found;
}

char Letter(absl::string_view identity) {
  if (identity == "INDEX") return 'i';
  return absl::ascii_tolower(static_cast<unsigned char>(identity[0]));
}

// Whether a publication that is still to be made sends UPDATE or DELETE.
bool WillPublishChanges(const ReplicationOptions& options, int server_version) {
  if (!options.publish_operations) return true;
  for (const std::string& operation : SplitOperations(*options.publish_operations, server_version))
    if (operation == "update" || operation == "delete") return true;
  return false;
}

class IdentitySetter {
 public:
  IdentitySetter(postgres::Connection& connection, const ReplicationOptions& options)
      : connection_(connection), options_(options) {}

  // An unquoted name is folded by the server: the name as written comes first, then the folded one.
  absl::Status FindIndex(Wish& wish) {
    const std::string& name = wish.rule->index;
    ASSIGN_OR_RETURN(const postgres::Result found,
                     connection_.Query(postgres::Rows(1), kIndexes,
                                       {absl::StrCat(ToInteger(wish.table->relation)), name,
                                        absl::AsciiStrToLower(name)}));
    wish.index = name;
    for (int row = 0; row < found.rows(); ++row) {
      wish.index = std::string(found.Get(row, 0));
      if (wish.index == name) break;
    }
    return absl::OkStatus();
  }

  // Columns for which the server would refuse what applications write; empty: none.
  absl::StatusOr<std::string> Refusal(const Wish& wish) {
    const int version = connection_.server_version();
    const bool full = wish.rule->identity == "FULL";
    if (version < kVersionWithLists || (!full && wish.index.empty())) return std::string();
    ASSIGN_OR_RETURN(const std::string publication,
                     ResolvePublicationName(connection_, options_.publication_name));
    ASSIGN_OR_RETURN(
        const postgres::Result found,
        connection_.Query(
            postgres::OneRow(1),
            absl::StrCat(kUnsent, AppliedEntry("(SELECT p.oid)"), kUnsentWhere,
                         version >= kVersionWithUnsent ? kUnsentGenerated : kAllAreSent),
            {absl::StrCat(ToInteger(wish.table->relation)), publication,
             WillPublishChanges(options_, version) ? "true" : "false", wish.index}));
    return std::string(found.Get(0, 0));
  }

  // The publication does not send columns that the identity would have.
  static void TellRefusal(const Wish& wish, const std::string& columns) {
    log::Error(
        "replica identity not changed: the server would refuse UPDATE and DELETE on the table, "
        "because the publication does not send all columns of that identity",
        {{"table", FullName(*wish.table)},
         {"wanted", Text(wish)},
         {"columns", columns},
         {"hint",
          "leave the table out of replica.identity.autoset.values; or publish all columns: "
          "no column list, and for STORED generated columns ALTER PUBLICATION … SET "
          "(publish_generated_columns = stored); VIRTUAL ones are never sent"}});
  }

  absl::Status Set(const Wish& wish) {
    const postgres::TableName& table = *wish.table;
    // One simple query is one transaction.
    const std::string alter =
        absl::StrCat("ALTER TABLE ", postgres::QuoteQualified(table.schema, table.table),
                     " REPLICA IDENTITY ", Text(wish));
    const absl::Status status =
        connection_.Run(absl::StrCat("SET LOCAL lock_timeout = '", kAlterTimeout, "'; ", alter));
    if (absl::IsUnavailable(status)) return status;
    if (status.ok()) {
      log::Info("replica identity set", {{"table", FullName(table)}, {"identity", Text(wish)}});
      return absl::OkStatus();
    }
    log::Error(absl::IsPermissionDenied(status)
                   ? "replica identity not changed: this role does not own the table"
                   : "replica identity not changed",
               {{"table", FullName(table)},
                {"error", std::string(status.message())},
                {"hint", absl::StrCat("have the owner run: ", alter)}});
    return absl::OkStatus();
  }

 private:
  postgres::Connection& connection_;
  const ReplicationOptions& options_;
};

}  // namespace

absl::Status SetReplicaIdentities(postgres::Connection& connection,
                                  const ReplicationOptions& options,
                                  const std::vector<postgres::TableName>& captured) {
  if (options.replica_identities.empty()) return absl::OkStatus();
  std::map<Oid, Wish> wishes;
  std::vector<Oid> oids;
  for (const postgres::TableName& table : captured) {
    const ReplicaIdentityRule* rule = RuleFor(options.replica_identities, FullName(table));
    if (rule == nullptr) continue;
    wishes[table.relation] = {.table = &table, .rule = rule, .index = ""};
    oids.push_back(table.relation);
  }
  ASSIGN_OR_RETURN(const postgres::Result now,
                   connection.Query(postgres::Rows(4), kIdentities, {postgres::OidArray(oids)}));
  IdentitySetter setter(connection, options);
  for (int row = 0; row < now.rows(); ++row) {
    const auto asked = wishes.find(postgres::ParseOid(now.Get(row, 0)));
    if (asked == wishes.end()) continue;
    Wish& wish = asked->second;
    if (!wish.rule->index.empty()) RETURN_IF_ERROR(setter.FindIndex(wish));
    const bool same = now.Get(row, 1) == std::string(1, Letter(wish.rule->identity));
    if (same && (wish.index.empty() || now.Get(row, 2) == wish.index)) continue;
    if (now.Get(row, 3) == "t") {
      log::Error("replica identity not changed: a standby cannot alter tables",
                 {{"table", FullName(*wish.table)}, {"wanted", Text(wish)}});
      continue;
    }
    ASSIGN_OR_RETURN(const std::string unsent, setter.Refusal(wish));
    if (unsent.empty()) {
      RETURN_IF_ERROR(setter.Set(wish));
    } else {
      IdentitySetter::TellRefusal(wish, unsent);
    }
  }
  return absl::OkStatus();
}

}  // namespace walduct::replication
