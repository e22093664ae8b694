#include "replication/capture/follow.h"

#include <set>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "postgres/oid_text.h"
#include "postgres/table_key.h"
#include "replication/publication/publication_errors.h"

namespace walduct::replication {
namespace {

constexpr absl::string_view kFollowTimeout = "SET LOCAL lock_timeout = '2s'; ";
constexpr absl::Duration kPatience = absl::Seconds(5);
constexpr int kFirstWithGenerated = 180000;

// Since PostgreSQL 18 writers are refused where the replica identity has a generated column that is
// not published: a virtual one never is, a stored one where the publication says so.
constexpr absl::string_view kRefusesForGenerated = R"(
WITH RECURSIVE below(top, oid) AS (
  SELECT w.oid, w.oid FROM pg_catalog.unnest($2::pg_catalog.oid[]) w(oid)
  UNION SELECT b.top, i.inhrelid FROM below b JOIN pg_catalog.pg_inherits i ON i.inhparent = b.oid
  JOIN pg_catalog.pg_class p ON p.oid = b.oid AND p.relkind = 'p')
SELECT DISTINCT b.top
FROM below b JOIN pg_catalog.pg_class c ON c.oid = b.oid AND c.relkind = 'r'
JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND NOT a.attisdropped AND a.attgenerated <> ''
CROSS JOIN pg_catalog.pg_publication p
WHERE p.pubname = $1 AND (p.pubupdate OR p.pubdelete)
  AND (a.attgenerated = 'v'
       OR (pg_catalog.to_jsonb(p) OPERATOR(pg_catalog.->>) 'pubgencols') <> 's')
  AND (c.relreplident = 'f' OR EXISTS (
    SELECT FROM pg_catalog.pg_index i
    WHERE i.indrelid = c.oid AND a.attnum = ANY (i.indkey::pg_catalog.int2[])
      AND CASE c.relreplident WHEN 'd' THEN i.indisprimary WHEN 'i' THEN i.indisreplident
          ELSE false END)))";

std::string AddSql(const std::string& publication, const std::vector<PublishedTable>& tables) {
  return absl::StrCat(
      "ALTER PUBLICATION ", postgres::QuoteIdentifier(publication), " ADD TABLE ",
      absl::StrJoin(tables, ", ", [](std::string* out, const PublishedTable& table) {
        absl::StrAppend(out, table.has_children ? "ONLY " : "",
                        postgres::QuoteQualified(table.schema, table.table));
      }));
}

absl::StatusOr<std::set<Oid>> RefusedForGenerated(postgres::Connection& connection,
                                                  const std::string& publication,
                                                  const std::vector<PublishedTable>& tables) {
  std::set<Oid> refused;
  if (connection.server_version() < kFirstWithGenerated) return refused;
  std::vector<Oid> oids;
  for (const PublishedTable& table : tables) oids.push_back(table.relation);
  ASSIGN_OR_RETURN(const postgres::Result result,
                   connection.Query(postgres::Rows(1), kRefusesForGenerated,
                                    {publication, postgres::OidArray(oids)}));
  for (int row = 0; row < result.rows(); ++row)
    refused.insert(postgres::ParseOid(result.Get(row, 0)));
  return refused;
}

// Done by somebody else, or gone again: the next look shows it.
bool IsPassed(const absl::Status& status) {
  return LostRace(status) || ErrorReason(status) == "publication_missing";
}

absl::Status Add(postgres::Connection& connection, const std::string& publication,
                 const std::vector<PublishedTable>& tables, const postgres::StopCheck& stopping) {
  return connection.Run(absl::StrCat(kFollowTimeout, AddSql(publication, tables)), stopping);
}

}  // namespace

absl::StatusOr<FollowResult> AddToPublication(postgres::Connection& connection,
                                              const std::string& publication,
                                              const std::vector<PublishedTable>& tables,
                                              const postgres::StopCheck& stopping) {
  FollowResult result;
  ASSIGN_OR_RETURN(const std::set<Oid> generated,
                   RefusedForGenerated(connection, publication, tables));
  std::vector<PublishedTable> safe;
  for (const PublishedTable& table : tables) {
    if (!generated.contains(table.relation)) {
      safe.push_back(table);
      continue;
    }
    result.refused.push_back(
        {.table = postgres::TableKey(table.schema, table.table),
         .why = "its replica identity has a generated column that the publication does not send: "
                "the server would refuse its UPDATE and DELETE",
         .hint = absl::StrCat("ALTER TABLE ", postgres::QuoteQualified(table.schema, table.table),
                              " REPLICA IDENTITY DEFAULT, with a primary key of other columns, or "
                              "ALTER PUBLICATION ",
                              postgres::QuoteIdentifier(publication),
                              " SET (publish_generated_columns = stored): it is then added"),
         .for_good = true});
  }
  if (safe.empty()) return result;
  if (Add(connection, publication, safe, stopping).ok()) {
    result.added = std::move(safe);
    return result;
  }
  // One that is locked or of another owner does not keep the others out.
  const absl::Duration begun = connection.environment().clock->Monotonic();
  for (const PublishedTable& table : safe) {
    if (connection.environment().clock->Monotonic() - begun > kPatience) {
      result.whole = false;
      break;
    }
    const absl::Status status = Add(connection, publication, {table}, stopping);
    if (status.ok()) {
      result.added.push_back(table);
    } else if (absl::IsUnavailable(status) || absl::IsCancelled(status)) {
      return status;
    } else if (!IsPassed(status)) {
      result.refused.push_back(
          {.table = postgres::TableKey(table.schema, table.table),
           .why = std::string(status.message()),
           .hint =
               absl::StrCat(absl::IsPermissionDenied(status)
                                ? "have the owner of table and publication, or a superuser, run: "
                                : "it is tried again; or: ",
                            AddSql(publication, {table})),
           .for_good = absl::IsPermissionDenied(status)});
    }
  }
  return result;
}

}  // namespace walduct::replication
