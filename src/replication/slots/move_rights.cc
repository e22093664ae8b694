#include "replication/slots/move_rights.h"

#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/substitute.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "postgres/oid_text.h"
#include "replication/publication/publication.h"
#include "replication/publication_name.h"

namespace walduct::replication {
namespace {

// $0: names of the publications that are altered. $1: tables that move. $2: names of those that
// are made where they are missing. Rows: what is lacking, the statement that gives it. A
// superuser's rights are not given away for his tables: they get another owner.
constexpr absl::string_view kLacking = R"(
WITH pubs AS (
  SELECT pg_catalog.quote_ident(p.pubname) AS name FROM pg_catalog.pg_publication p
  WHERE p.pubname = ANY (ARRAY[$0]::pg_catalog.name[]) AND NOT pg_catalog.pg_has_role(p.pubowner, 'USAGE')),
tables AS (
  SELECT pg_catalog.format('%I.%I', n.nspname, c.relname) AS name, o.rolname AS owner, o.rolsuper
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_catalog.pg_roles o ON o.oid = c.relowner
  WHERE c.oid = ANY ('$1'::pg_catalog.oid[]) AND NOT pg_catalog.pg_has_role(c.relowner, 'USAGE')),
lacking(place, what, statement) AS (
  SELECT 1, 'it has no CREATE on the database', pg_catalog.format('GRANT CREATE ON DATABASE %I TO %I',
    pg_catalog.current_database(), current_user)
  WHERE (EXISTS (SELECT FROM pubs) OR EXISTS (
      SELECT FROM pg_catalog.unnest(ARRAY[$2]::pg_catalog.name[]) made(name)
      WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_publication p WHERE p.pubname = made.name)))
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
    ELSE pg_catalog.format('GRANT %I TO %I', owner, current_user) || CASE
      WHEN pg_catalog.current_setting('server_version_num')::pg_catalog.int4 >= 160000
      THEN ' WITH INHERIT TRUE' ELSE '' END END
  FROM tables GROUP BY owner, rolsuper)
SELECT what, statement FROM lacking ORDER BY place, what)";

// Of the publications of these slots, as literals with commas between.
absl::StatusOr<std::string> NamesOf(postgres::Connection& connection, const SlotsChange& change,
                                    const std::set<int>& slots) {
  std::vector<std::string> names;
  for (const int slot : slots) {
    ASSIGN_OR_RETURN(const std::string name,
                     ResolvePublicationName(
                         connection, change.share.publications[static_cast<size_t>(slot) - 1]));
    names.push_back(postgres::QuoteLiteral(name));
  }
  return absl::StrJoin(names, ", ");
}

}  // namespace

absl::Status CheckMoveRights(postgres::Connection& connection, const SlotsChange& change,
                             const std::vector<TableMove>& moves) {
  std::set<int> made, altered;
  for (int slot = change.from + 1; slot <= change.to(); ++slot) made.insert(slot);
  for (const TableMove& move : moves) altered.insert({move.from, move.to});
  ASSIGN_OR_RETURN(const std::string altered_names, NamesOf(connection, change, altered));
  ASSIGN_OR_RETURN(const std::string made_names, NamesOf(connection, change, made));
  std::vector<Oid> tables;
  for (const TableMove& move : moves) {
    for (const MovedTable& moved : move.tables) tables.push_back(moved.table.relation);
  }
  ASSIGN_OR_RETURN(const postgres::Result lacking,
                   connection.Query(postgres::Rows(2),
                                    absl::Substitute(kLacking, altered_names,
                                                     postgres::OidArray(tables), made_names)));
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
