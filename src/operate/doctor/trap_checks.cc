// What works, and surprises one day: settings, roles, tables and publications that mean something
// else for a reader of changes than for everybody else. Declared in checks.h.
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/substitute.h"
#include "operate/doctor/checks.h"
#include "postgres/connection.h"
#include "postgres/oid_text.h"
#include "replication/publication/refused_writes.h"

namespace walduct::operate {
namespace {

constexpr int kVersionWithFilters = 150000;
constexpr int kVersionWithGenerated = 180000;

// Rows of a query: reason, $0, $1, $2.
struct Trap {
  absl::string_view reason;
  Severity severity;
  absl::string_view message, hint;
};

constexpr Trap kTraps[] = {
    {"restart_pending", Severity::kWarning,
     "$0 was changed, and is $1 until the server is restarted",
     "restart the server: pg_ctl restart, or systemctl restart postgresql"},
    {"decoding_memory_small", Severity::kWarning,
     "logical_decoding_work_mem is $0: transactions that are larger are written to the server's "
     "disk before they are sent",
     "ALTER SYSTEM SET logical_decoding_work_mem = '64MB'; SELECT pg_reload_conf()"},
    {"synchronous_standby_any", Severity::kWarning,
     "synchronous_standby_names is $0: the connector counts as a synchronous standby, and commits "
     "wait for Kafka",
     "name the standbys there, and not *"},
    {"connection_limit_small", Severity::kWarning,
     "the connection limit of $0 is $1: the connector needs up to 4 sessions, while it takes over "
     "from another twice as many",
     "ALTER $0 CONNECTION LIMIT -1"},
    {"prepared_transaction", Severity::kWarning,
     "transaction $0 of database $1 is prepared and not decided: creating the slot waits for it",
     "decide it, connected to $1: COMMIT PREPARED $0, or ROLLBACK PREPARED $0"},
    {"new_tables_not_readable", Severity::kNotice,
     "tables that $2 will make in schema $0 are captured, and not readable for the role $1: the "
     "snapshot that the configuration takes of them stops there",
     "ALTER DEFAULT PRIVILEGES FOR ROLE $2 IN SCHEMA $0 GRANT SELECT ON TABLES TO $1"},
    {"unlogged_table", Severity::kWarning,
     "table $0 is unlogged: its changes are not in the WAL, and never captured",
     "ALTER TABLE $0 SET LOGGED"},
    {"generated_column_not_sent", Severity::kNotice,
     "column $1 of table $0 is generated: $2, and records of the stream lack it",
     "let consumers compute it, or fill an ordinary column by a trigger"},
    {"large_values_not_sent", Severity::kNotice,
     "table $0 has values that are stored apart (TOAST): an UPDATE that leaves them alone "
     "publishes "
     "the placeholder of unavailable.value.placeholder",
     "let consumers keep what they have$1"},
    {"signal_table_not_published", Severity::kWarning,
     "publication $0 does not send table $1, which signal.data.collection names: its signals never "
     "come, and incremental snapshots wait for their marks for ever",
     "ALTER PUBLICATION $0 ADD TABLE $1"},
    {"repack_of_all_tables", Severity::kWarning,
     "publication $0 is FOR ALL TABLES, and pg_repack is installed: it fails at a table that is "
     "written to meanwhile, or refuses to begin, and what it copies is published as tables of the "
     "schema repack",
     "publish the tables that are meant: another publication.name with "
     "publication.autocreate.mode=filtered; schema.exclude.list=repack keeps its copies out of "
     "topics, no more"},
    {"publication_lacks_operations", Severity::kNotice, "publication $0 does not send $1",
     "if they are to be captured: ALTER PUBLICATION $0 SET (publish = $2)"},
    {"publication_row_filter", Severity::kNotice,
     "publication $0 sends only some rows of table $1 (WHERE $2); snapshots read all of them",
     "if that is not meant: ALTER PUBLICATION $0 DROP TABLE $1; ALTER PUBLICATION $0 ADD TABLE $1"},
    {"publication_column_list", Severity::kNotice,
     "publication $0 sends only some columns of table $1: $2",
     "if that is not meant: ALTER PUBLICATION $0 DROP TABLE $1; ALTER PUBLICATION $0 ADD TABLE $1"},
};

// $0: the slot's name.
constexpr absl::string_view kOfServer = R"(
SELECT 'restart_pending', s.name, s.setting, ''
FROM pg_catalog.pg_settings s
WHERE s.pending_restart AND s.name IN ('wal_level', 'max_replication_slots', 'max_wal_senders')
UNION ALL
SELECT 'decoding_memory_small', pg_catalog.current_setting('logical_decoding_work_mem'), '', ''
WHERE pg_catalog.pg_size_bytes(pg_catalog.current_setting('logical_decoding_work_mem')) < 4194304
UNION ALL
SELECT 'synchronous_standby_any', pg_catalog.current_setting('synchronous_standby_names'), '', ''
WHERE pg_catalog.strpos(pg_catalog.current_setting('synchronous_standby_names'), '*') > 0
UNION ALL
SELECT 'connection_limit_small', 'ROLE ' || pg_catalog.quote_ident(r.rolname),
       r.rolconnlimit::text, ''
FROM pg_catalog.pg_roles r
WHERE r.rolname = current_user AND r.rolconnlimit BETWEEN 0 AND 3 AND NOT r.rolsuper
UNION ALL
SELECT 'connection_limit_small', 'DATABASE ' || pg_catalog.quote_ident(d.datname),
       d.datconnlimit::text, ''
FROM pg_catalog.pg_database d, pg_catalog.pg_roles r
WHERE d.datname = pg_catalog.current_database() AND d.datconnlimit BETWEEN 0 AND 3
  AND r.rolname = current_user AND NOT r.rolsuper
UNION ALL
SELECT 'prepared_transaction', pg_catalog.quote_literal(p.gid), pg_catalog.quote_ident(p.database),
       ''
FROM pg_catalog.pg_prepared_xacts p
WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_replication_slots s WHERE s.slot_name = $0))";

// $0: the captured tables; of what their partitions hold and are, theirs counts. $2: whether rows
// of tables that are still to come to schema n are read. A role that owns a table reads it.
constexpr absl::string_view kOfTables = R"(
WITH RECURSIVE looked(top, oid) AS (
  SELECT w.oid, w.oid FROM pg_catalog.unnest('$0'::pg_catalog.oid[]) w(oid)
  UNION SELECT l.top, i.inhrelid
  FROM looked l JOIN pg_catalog.pg_class c ON c.oid = l.oid AND c.relkind = 'p'
  JOIN pg_catalog.pg_inherits i ON i.inhparent = l.oid
  WHERE i.inhrelid <> ALL ('$0'::pg_catalog.oid[])
)
SELECT DISTINCT 'new_tables_not_readable', pg_catalog.quote_ident(n.nspname),
       pg_catalog.quote_ident(current_user),
       pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(c.relowner))
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.oid = ANY ('$0'::pg_catalog.oid[]) AND $2
  AND NOT pg_catalog.pg_has_role(c.relowner, 'USAGE')
  AND NOT EXISTS (SELECT FROM pg_catalog.pg_roles r WHERE r.rolname = 'pg_read_all_data'
                  AND pg_catalog.pg_has_role(r.oid, 'USAGE'))
  AND NOT EXISTS (SELECT FROM pg_catalog.pg_default_acl d, pg_catalog.aclexplode(d.defaclacl) a
                  WHERE d.defaclobjtype = 'r' AND d.defaclrole = c.relowner
                  AND d.defaclnamespace IN (0, n.oid) AND a.privilege_type = 'SELECT'
                  AND CASE WHEN a.grantee = 0 THEN true
                      ELSE pg_catalog.pg_has_role(a.grantee, 'USAGE') END)
UNION ALL
SELECT 'unlogged_table', c.oid::pg_catalog.regclass::text, '', ''
FROM looked l JOIN pg_catalog.pg_class c ON c.oid = l.oid
WHERE c.relpersistence = 'u'
UNION ALL
SELECT 'large_values_not_sent', l.top::pg_catalog.regclass::text,
       CASE WHEN pg_catalog.bool_or($1) THEN '; REPLICA IDENTITY FULL would not do: the server refuses UPDATE and DELETE of a table of which the publication does not send all columns'
       ELSE pg_catalog.concat(', or, for more WAL: ALTER TABLE ', pg_catalog.min(c.oid::pg_catalog.regclass::text), ' REPLICA IDENTITY FULL',
         CASE WHEN pg_catalog.count(*) > 1 THEN
           pg_catalog.concat(', and the same for ', pg_catalog.count(*) - 1, ' more of its partitions') END) END, ''
FROM looked l JOIN pg_catalog.pg_class c ON c.oid = l.oid
JOIN pg_catalog.pg_class t ON t.oid = c.reltoastrelid
WHERE t.relpages > 0 AND c.relreplident <> 'f'
GROUP BY l.top)";

constexpr absl::string_view kGenerated = R"(
SELECT 'generated_column_not_sent', a.attrelid::pg_catalog.regclass::text,
       pg_catalog.quote_ident(a.attname), 'this version of PostgreSQL does not send it'
FROM pg_catalog.pg_attribute a
WHERE a.attrelid = ANY ('$0'::pg_catalog.oid[]) AND a.attgenerated = 's' AND NOT a.attisdropped)";

// A column list says which ones are sent, whatever publish_generated_columns is. $1: the
// publication's name.
constexpr absl::string_view kGeneratedUnlessAsked = R"(
SELECT 'generated_column_not_sent', a.attrelid::pg_catalog.regclass::text,
       pg_catalog.quote_ident(a.attname),
       CASE WHEN a.attgenerated = 'v' THEN 'virtual ones are never sent'
       ELSE 'the publication sends it only with publish_generated_columns = stored' END
FROM pg_catalog.pg_attribute a
WHERE a.attrelid = ANY ('$0'::pg_catalog.oid[]) AND a.attgenerated <> '' AND NOT a.attisdropped
  AND NOT EXISTS (
    SELECT FROM pg_catalog.pg_publication p
    LEFT JOIN pg_catalog.pg_publication_rel r ON r.prpubid = p.oid AND r.prrelid = a.attrelid
    WHERE p.pubname = $1 AND a.attgenerated = 's'
      AND CASE WHEN r.prattrs IS NULL THEN p.pubgencols = 's'
          ELSE a.attnum = ANY (r.prattrs::pg_catalog.int2[]) END))";

// $0: the publication's name. $1: whether it would be of all tables, where it is still to be made.
// $2: whether only inserts are wanted.
constexpr absl::string_view kOfPublication = R"(
SELECT 'publication_lacks_operations', pg_catalog.quote_ident(p.pubname),
       pg_catalog.concat_ws(', ', CASE WHEN NOT p.pubinsert THEN 'inserts' END,
         CASE WHEN NOT p.pubupdate AND NOT $2 THEN 'updates' END,
         CASE WHEN NOT p.pubdelete AND NOT $2 THEN 'deletes' END),
       CASE WHEN $2 THEN '''insert''' ELSE '''insert, update, delete, truncate''' END
FROM pg_catalog.pg_publication p
WHERE p.pubname = $0 AND NOT (p.pubinsert AND (p.pubupdate AND p.pubdelete OR $2))
UNION ALL
SELECT 'repack_of_all_tables', pg_catalog.quote_ident($0), '', ''
WHERE COALESCE((SELECT p.puballtables FROM pg_catalog.pg_publication p WHERE p.pubname = $0), $1)
  AND (EXISTS (SELECT FROM pg_catalog.pg_extension e WHERE e.extname = 'pg_repack')
       OR EXISTS (SELECT FROM pg_catalog.pg_namespace n WHERE n.nspname = 'repack')))";

// $0: the publication's name. $1: the table, as schema.table. $2: more ways to send it.
constexpr absl::string_view kSignalTable = R"(
SELECT 'signal_table_not_published', pg_catalog.quote_ident(p.pubname),
       c.oid::pg_catalog.regclass::text, ''
FROM pg_catalog.pg_publication p, pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE p.pubname = $0 AND pg_catalog.concat(n.nspname, '.', c.relname) = $1
  AND c.relkind IN ('r', 'p') AND NOT p.puballtables
  AND NOT EXISTS (SELECT FROM pg_catalog.pg_publication_rel r
                  WHERE r.prpubid = p.oid AND r.prrelid = c.oid)$2)";
constexpr absl::string_view kNotOfItsSchema = R"(
  AND NOT EXISTS (SELECT FROM pg_catalog.pg_publication_namespace s
                  WHERE s.pnpubid = p.oid AND s.pnnspid = n.oid))";

constexpr absl::string_view kFilters = R"(
SELECT 'publication_row_filter', pg_catalog.quote_ident(p.pubname),
       r.prrelid::pg_catalog.regclass::text, pg_catalog.pg_get_expr(r.prqual, r.prrelid)
FROM pg_catalog.pg_publication p JOIN pg_catalog.pg_publication_rel r ON r.prpubid = p.oid
WHERE p.pubname = $0 AND r.prqual IS NOT NULL
UNION ALL
SELECT 'publication_column_list', pg_catalog.quote_ident(p.pubname),
       r.prrelid::pg_catalog.regclass::text,
       (SELECT pg_catalog.string_agg(a.attname, ', ' ORDER BY a.attnum)
        FROM pg_catalog.pg_attribute a
        WHERE a.attrelid = r.prrelid AND a.attnum = ANY (r.prattrs))
FROM pg_catalog.pg_publication p JOIN pg_catalog.pg_publication_rel r ON r.prpubid = p.oid
WHERE p.pubname = $0 AND r.prattrs IS NOT NULL)";

void Say(const Trap& trap, const postgres::Result& rows, int row, Findings* findings) {
  const auto fill = [&](absl::string_view text) {
    return absl::Substitute(text, rows.Get(row, 1), rows.Get(row, 2), rows.Get(row, 3));
  };
  findings->Add({.severity = trap.severity,
                 .reason = std::string(trap.reason),
                 .message = fill(trap.message),
                 .hint = fill(trap.hint)});
}

void Ask(postgres::Connection& connection, const std::string& question, Findings* findings) {
  constexpr int kColumns = 4;
  const absl::StatusOr<postgres::Result> rows =
      connection.Query(postgres::Rows(kColumns), question);
  findings->Add(rows.status());
  if (!rows.ok()) return;
  for (int row = 0; row < rows->rows(); ++row) {
    for (const Trap& trap : kTraps) {
      if (trap.reason == rows->Get(row, 0)) Say(trap, *rows, row, findings);
    }
  }
}

}  // namespace

void CheckServerTraps(postgres::Connection& connection, const ServerNames& names,
                      Findings* findings) {
  Ask(connection, absl::Substitute(kOfServer, postgres::QuoteLiteral(names.slot)), findings);
  const std::string publication = postgres::QuoteLiteral(names.publication);
  std::string question =
      absl::Substitute(kOfPublication, publication, names.publishes_all ? "true" : "false",
                       names.outbox ? "true" : "false");
  const bool newer = connection.server_version() >= kVersionWithFilters;
  if (newer) absl::StrAppend(&question, " UNION ALL ", absl::Substitute(kFilters, publication));
  if (!names.signal_table.empty()) {
    absl::StrAppend(
        &question, " UNION ALL ",
        absl::Substitute(kSignalTable, publication, postgres::QuoteLiteral(names.signal_table),
                         newer ? kNotOfItsSchema : ""));
  }
  Ask(connection, question, findings);
}

void CheckTableTraps(postgres::Connection& connection, const std::vector<Oid>& captured,
                     const std::string& publication, const std::set<std::string>& schemas,
                     Findings* findings) {
  std::vector<std::string> read;
  for (const std::string& schema : schemas) read.push_back(postgres::QuoteLiteral(schema));
  const std::string in_schemas =
      read.empty() ? "false" : absl::StrCat("n.nspname IN (", absl::StrJoin(read, ", "), ")");
  const std::string tables = postgres::OidArray(captured);
  const std::string name = postgres::QuoteLiteral(publication);
  const int version = connection.server_version();
  const std::string full_is_refused = replication::FullIsRefused(
      version,
      absl::StrCat("(SELECT * FROM pg_catalog.pg_publication WHERE pubname = ", name, ")"));
  std::string question = absl::Substitute(kOfTables, tables, full_is_refused, in_schemas);
  const bool on_request = version >= kVersionWithGenerated;
  absl::StrAppend(&question, " UNION ALL ",
                  absl::Substitute(on_request ? kGeneratedUnlessAsked : kGenerated, tables, name));
  Ask(connection, question, findings);
}

}  // namespace walduct::operate
