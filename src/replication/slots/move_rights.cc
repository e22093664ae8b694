#include "replication/slots/move_rights.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/substitute.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "postgres/oid_text.h"
#include "replication/publication.h"

namespace walduct::replication {
namespace {

// $0: names of publications. $1: tables. $2: whether publications are made. Rows: what is lacking,
// the statement that gives it. A superuser's rights are not given away for his tables: they get
// another owner.
constexpr absl::string_view kLacking = R"(
WITH pubs AS (
  SELECT pg_catalog.quote_ident(p.pubname) AS name FROM pg_catalog.pg_publication p
  WHERE p.pubname IN ($0) AND NOT pg_catalog.pg_has_role(p.pubowner, 'USAGE')),
tables AS (
  SELECT pg_catalog.format('%I.%I', n.nspname, c.relname) AS name, o.rolname AS owner, o.rolsuper
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_catalog.pg_roles o ON o.oid = c.relowner
  WHERE c.oid = ANY ('$1'::pg_catalog.oid[]) AND NOT pg_catalog.pg_has_role(c.relowner, 'USAGE')),
lacking(place, what, statement) AS (
  SELECT 1, 'it has no CREATE on the database', pg_catalog.format('GRANT CREATE ON DATABASE %I TO %I',
    pg_catalog.current_database(), current_user)
  WHERE ($2 OR EXISTS (SELECT FROM pubs))
    AND NOT pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE')
  UNION ALL
  SELECT 2, 'it does not own publication ' || name,
    pg_catalog.format('ALTER PUBLICATION %s OWNER TO %I', name, current_user) FROM pubs
  UNION ALL
  SELECT 3, pg_catalog.format('it does not own %s of %I',
      CASE pg_catalog.count(*) WHEN 1 THEN 'table ' || pg_catalog.min(name)
      ELSE pg_catalog.format('%s tables (%s …)', pg_catalog.count(*), pg_catalog.min(name)) END, owner),
    CASE WHEN rolsuper THEN pg_catalog.string_agg(
      pg_catalog.format('ALTER TABLE %s OWNER TO %I', name, current_user), '; ' ORDER BY name)
    ELSE pg_catalog.format('GRANT %I TO %I', owner, current_user) END
  FROM tables GROUP BY owner, rolsuper)
SELECT what, statement FROM lacking ORDER BY place, what)";

}  // namespace

absl::Status CheckMoveRights(postgres::Connection& connection, const SlotsChange& change,
                             const std::vector<TableMove>& moves) {
  std::vector<std::string> publications;
  for (const std::string& given : change.share.publications) {
    ASSIGN_OR_RETURN(const std::string name, ResolvePublicationName(connection, given));
    publications.push_back(postgres::QuoteLiteral(name));
  }
  std::vector<Oid> tables;
  for (const TableMove& move : moves) {
    for (const MovedTable& moved : move.tables) tables.push_back(moved.table.relation);
  }
  ASSIGN_OR_RETURN(
      const postgres::Result lacking,
      connection.Query(
          postgres::Rows(2),
          absl::Substitute(kLacking, absl::StrJoin(publications, ", "), postgres::OidArray(tables),
                           change.to() > change.from ? "true" : "false")));
  if (lacking.rows() == 0) return absl::OkStatus();
  std::vector<std::string> what, statements;
  for (int row = 0; row < lacking.rows(); ++row) {
    what.emplace_back(lacking.Get(row, 0));
    statements.emplace_back(lacking.Get(row, 1));
  }
  return Error(absl::StatusCode::kPermissionDenied, "publication_not_permitted",
               absl::StrCat("this role may not let tables go to other slots, and nothing has been "
                            "changed: ",
                            absl::StrJoin(what, "; ")),
               absl::StrCat("have a superuser run: ", absl::StrJoin(statements, "; "),
                            "; then start again; or set walduct.slots=", change.from));
}

}  // namespace walduct::replication
