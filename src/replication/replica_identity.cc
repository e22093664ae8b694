#include "replication/replica_identity.h"

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

namespace walduct::replication {
namespace {

// A table under heavy use must not queue behind an ALTER TABLE that waits for an old transaction.
constexpr absl::string_view kLockTimeout = "5s";

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

class IdentitySetter {
 public:
  explicit IdentitySetter(postgres::Connection& connection) : connection_(connection) {}

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

  absl::Status Set(const Wish& wish) {
    const postgres::TableName& table = *wish.table;
    // One simple query is one transaction.
    const std::string alter =
        absl::StrCat("ALTER TABLE ", postgres::QuoteQualified(table.schema, table.table),
                     " REPLICA IDENTITY ", Text(wish));
    const absl::Status status =
        connection_.Run(absl::StrCat("SET LOCAL lock_timeout = '", kLockTimeout, "'; ", alter));
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
};

}  // namespace

absl::Status SetReplicaIdentities(postgres::Connection& connection,
                                  const std::vector<ReplicaIdentityRule>& rules,
                                  const std::vector<postgres::TableName>& captured) {
  if (rules.empty()) return absl::OkStatus();
  std::map<Oid, Wish> wishes;
  std::vector<Oid> oids;
  for (const postgres::TableName& table : captured) {
    const ReplicaIdentityRule* rule = RuleFor(rules, FullName(table));
    if (rule == nullptr) continue;
    wishes[table.relation] = {.table = &table, .rule = rule, .index = ""};
    oids.push_back(table.relation);
  }
  ASSIGN_OR_RETURN(const postgres::Result now,
                   connection.Query(postgres::Rows(4), kIdentities, {postgres::OidArray(oids)}));
  IdentitySetter setter(connection);
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
    RETURN_IF_ERROR(setter.Set(wish));
  }
  return absl::OkStatus();
}

}  // namespace walduct::replication
