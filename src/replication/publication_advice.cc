#include "replication/publication_advice.h"

#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/error.h"
#include "base/log.h"
#include "postgres/oid_text.h"

namespace walduct::replication {
namespace {

using postgres::Result;

// Somebody may hold a lock even on a catalog (VACUUM FULL).
constexpr absl::string_view kLockTimeout = "SET lock_timeout = '500ms'";
constexpr absl::string_view kNoLockTimeout = "RESET lock_timeout";

// Not pg_publication_tables: that view opens every table, waits for its locks, and fails when one
// is dropped meanwhile.
constexpr absl::string_view kPublication = R"(
WITH RECURSIVE publication AS (
  SELECT p.oid, p.puballtables, p.pubupdate OR p.pubdelete AS changes,
         pg_catalog.to_jsonb(p) OPERATOR(pg_catalog.->>) 'pubviaroot' AS via_root
  FROM pg_catalog.pg_publication p WHERE p.pubname = $1
), named(oid) AS (
  SELECT r.prrelid FROM publication p JOIN pg_catalog.pg_publication_rel r ON r.prpubid = p.oid)";
constexpr absl::string_view kSchemas = R"(
  UNION SELECT c.oid FROM publication p
  JOIN pg_catalog.pg_publication_namespace s ON s.pnpubid = p.oid
  JOIN pg_catalog.pg_class c ON c.relnamespace = s.pnnspid)";
constexpr absl::string_view kMembers = R"(
), members(oid) AS (
  SELECT n.oid FROM named n
  UNION
  SELECT c.oid FROM members m
  JOIN pg_catalog.pg_inherits i ON i.inhparent = m.oid
  JOIN pg_catalog.pg_class c ON c.oid = i.inhrelid AND c.relispartition
), published AS (
  SELECT c.*, n.nspname, p.changes
  FROM publication p CROSS JOIN pg_catalog.pg_class c
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind = 'r' AND c.relpersistence = 'p' AND c.oid >= 16384
    AND (p.puballtables OR c.oid IN (SELECT m.oid FROM members m))
))";

constexpr absl::string_view kPublished = R"(
SELECT pg_catalog.format('%I.%I', c.nspname, c.relname), pg_catalog.count(*) OVER ()
FROM published c
WHERE c.changes)";

// Of a partitioned table its partitions, which have identities of their own.
constexpr absl::string_view kToBePublished = R"(
WITH RECURSIVE wanted(oid) AS (
  SELECT w.oid FROM pg_catalog.unnest($1::pg_catalog.oid[]) w(oid)
  UNION SELECT i.inhrelid
  FROM wanted w JOIN pg_catalog.pg_class c ON c.oid = w.oid AND c.relkind = 'p'
  JOIN pg_catalog.pg_inherits i ON i.inhparent = w.oid
)
SELECT pg_catalog.format('%I.%I', n.nspname, c.relname), pg_catalog.count(*) OVER ()
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind = 'r' AND c.relpersistence = 'p' AND n.nspname <> 'information_schema'
  AND pg_catalog.left(n.nspname::pg_catalog.text, 3) <> 'pg_'
  AND ($1::pg_catalog.oid[] IS NULL OR c.oid IN (SELECT w.oid FROM wanted w)))";

// A deferrable primary key cannot be the replica identity.
constexpr absl::string_view kWithoutIdentity = R"(
  AND (c.relreplident = 'n'
       OR (c.relreplident = 'd' AND NOT EXISTS (
             SELECT 1 FROM pg_catalog.pg_index i WHERE i.indrelid = c.oid AND i.indisprimary AND i.indimmediate))
       OR (c.relreplident = 'i' AND NOT EXISTS (
             SELECT 1 FROM pg_catalog.pg_index i WHERE i.indrelid = c.oid AND i.indisreplident)))
ORDER BY 1 LIMIT 20)";

// The server sends the old values of the index's columns alone.
constexpr absl::string_view kKeyNotSent = R"(
  AND c.relreplident = 'i' AND EXISTS (
    SELECT 1 FROM pg_catalog.pg_index k JOIN pg_catalog.pg_index i ON i.indrelid = k.indrelid
    WHERE k.indrelid = c.oid AND k.indisprimary AND i.indisreplident
      AND NOT k.indkey::pg_catalog.int2[] OPERATOR(pg_catalog.<@) i.indkey::pg_catalog.int2[])
ORDER BY 1 LIMIT 20)";

// Partitions whose rows come under the name of a captured root.
constexpr absl::string_view kUnderRoot = R"(
, below(root, oid) AS (
  SELECT c.oid, c.oid FROM pg_catalog.unnest($2::pg_catalog.oid[]) w(oid)
  JOIN pg_catalog.pg_class c ON c.oid = w.oid AND c.relkind = 'p'
  UNION SELECT b.root, i.inhrelid FROM below b JOIN pg_catalog.pg_inherits i ON i.inhparent = b.oid
)
SELECT pg_catalog.format('%I.%I', c.nspname, c.relname), pg_catalog.count(*) OVER ()
FROM below b JOIN published c ON c.oid = b.oid
WHERE c.changes AND EXISTS (SELECT FROM publication p WHERE p.via_root = 'true'))";

// A root's identity is handed on to no partition. That of the root is the letter alone that comes
// before their old rows.
constexpr absl::string_view kNotFull = R"(
  AND c.relreplident <> 'f'
  AND EXISTS (SELECT FROM pg_catalog.pg_class r WHERE r.oid = b.root AND r.relreplident = 'f')
ORDER BY 1 LIMIT 20)";

// Of roots without a primary key, which all partitions would have: the index that is the key of
// the records in its place.
constexpr absl::string_view kRootsKeyNotSent = R"(
  AND c.relreplident <> 'f'
  AND NOT EXISTS (SELECT FROM pg_catalog.pg_index i WHERE i.indrelid = b.root AND i.indisprimary)
  AND EXISTS (
    SELECT FROM (SELECT i.indkey FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class ic ON ic.oid = i.indexrelid
                 WHERE i.indrelid = b.root AND i.indisunique AND i.indisvalid
                   AND NOT 0 = ANY (i.indkey::pg_catalog.int2[])
                 ORDER BY i.indisclustered DESC, ic.relname::pg_catalog.text COLLATE "C" LIMIT 1) k
    JOIN pg_catalog.pg_attribute a ON a.attrelid = b.root AND a.attnum = ANY (k.indkey::pg_catalog.int2[])
    WHERE NOT EXISTS (
      SELECT FROM pg_catalog.pg_index i JOIN pg_catalog.pg_attribute s
        ON s.attrelid = c.oid AND s.attnum = ANY (i.indkey::pg_catalog.int2[])
      WHERE i.indrelid = c.oid AND s.attname = a.attname
        AND CASE c.relreplident WHEN 'd' THEN i.indisprimary ELSE i.indisreplident END))
ORDER BY 1 LIMIT 20)";

// Partitions are left out: whether they or their root are published depends on
// publish_via_partition_root.
constexpr absl::string_view kUnpublished = R"(
SELECT pg_catalog.format('%I.%I', n.nspname, c.relname), pg_catalog.count(*) OVER ()
FROM pg_catalog.unnest($2::pg_catalog.oid[]) w(oid)
JOIN pg_catalog.pg_class c ON c.oid = w.oid
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind = 'r' AND NOT c.relispartition
  AND NOT EXISTS (SELECT 1 FROM published p WHERE p.oid = c.oid)
ORDER BY 1 LIMIT 20)";

// Rows come under the name of their partition, and that is not captured.
constexpr absl::string_view kRootAlone = R"(
, below(root, oid) AS (
  SELECT c.oid, c.oid FROM pg_catalog.unnest($2::pg_catalog.oid[]) w(oid)
  JOIN pg_catalog.pg_class c ON c.oid = w.oid AND c.relkind = 'p'
  UNION SELECT b.root, i.inhrelid FROM below b JOIN pg_catalog.pg_inherits i ON i.inhparent = b.oid
)
SELECT pg_catalog.format('%I.%I', n.nspname, c.relname), pg_catalog.count(*) OVER ()
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE EXISTS (SELECT 1 FROM publication p WHERE p.via_root IS DISTINCT FROM 'true')
  AND c.oid IN (
    SELECT b.root FROM below b JOIN pg_catalog.pg_class leaf ON leaf.oid = b.oid
    WHERE leaf.relkind = 'r' AND leaf.oid <> ALL ($2::pg_catalog.oid[]))
ORDER BY 1 LIMIT 20)";

constexpr absl::string_view kSignalTableApart = R"(
SELECT pg_catalog.format('%I.%I', n.nspname, c.relname), 1
FROM pg_catalog.pg_publication p, pg_catalog.pg_class c
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE p.pubname = $1 AND c.relkind = 'p' AND pg_catalog.concat(n.nspname, '.', c.relname) = $2
  AND (pg_catalog.to_jsonb(p) OPERATOR(pg_catalog.->>) 'pubviaroot') = 'false'
  AND EXISTS (SELECT FROM pg_catalog.pg_publication_tables t
    JOIN pg_catalog.pg_partition_tree(c.oid) part
      ON part.relid = pg_catalog.to_regclass(pg_catalog.format('%I.%I', t.schemaname, t.tablename))
    WHERE t.pubname = p.pubname))";

struct Question {
  absl::string_view reason;
  std::string sql;
  std::vector<std::optional<std::string>> parameters;
  absl::string_view message;  // when it finds tables
  std::string hint;
};

using Hear = absl::FunctionRef<void(const Advice&)>;

void LogAdvice(const Advice& advice) {
  log::Warn(advice.message,
            {{"count", advice.count}, {"tables", advice.tables}, {"hint", advice.hint}});
}

absl::Status AskOne(postgres::Connection& connection, const Question& question, Hear hear) {
  const absl::StatusOr<Result> result =
      connection.Query(postgres::Rows(2), question.sql, question.parameters);
  if (!result.ok() || result->rows() == 0) return result.status();
  std::vector<std::string> names;
  for (int row = 0; row < result->rows(); ++row) names.emplace_back(result->Get(row, 0));
  hear({.reason = std::string(question.reason),
        .message = std::string(question.message),
        .count = std::string(result->Get(0, 1)),
        .tables = absl::StrJoin(names, ", "),
        .hint = question.hint});
  return absl::OkStatus();
}

absl::Status Ask(postgres::Connection& connection, const std::vector<Question>& questions,
                 Hear hear) {
  absl::Status status = connection.Run(kLockTimeout);
  for (const Question& question : questions) {
    if (!status.ok()) break;
    status = AskOne(connection, question, hear);
  }
  connection.Run(kNoLockTimeout).IgnoreError();
  return status;
}

// The session may be broken: the next question that matters says so.
void AskAndLog(postgres::Connection& connection, const std::vector<Question>& questions) {
  const absl::Status status = Ask(connection, questions, &LogAdvice);
  if (status.ok()) return;
  log::Warn("the publication could not be checked; it is checked again with the next connection",
            {{"error", std::string(status.message())}, {"hint", ErrorHint(status)}});
}

absl::StatusOr<std::vector<Advice>> AskAndList(postgres::Connection& connection,
                                               const std::vector<Question>& questions) {
  std::vector<Advice> all;
  const absl::Status status =
      Ask(connection, questions, [&](const Advice& advice) { all.push_back(advice); });
  if (!status.ok()) return status;
  return all;
}

std::string Oids(const std::vector<PublishedTable>& tables) {
  std::vector<Oid> oids;
  for (const PublishedTable& table : tables) oids.push_back(table.relation);
  return postgres::OidArray(oids);
}

std::vector<Question> BeforePublication(const std::optional<std::vector<PublishedTable>>& tables) {
  std::optional<std::string> oids;
  if (tables) oids = Oids(*tables);
  return {{.reason = "publication_would_refuse_writes",
           .sql = absl::StrCat(kToBePublished, kWithoutIdentity),
           .parameters = {std::move(oids)},
           .message = "about to publish tables without replica identity: the server will refuse "
                      "UPDATE and DELETE on them",
           .hint = "add a primary key, or ALTER TABLE … REPLICA IDENTITY FULL; or publish inserts "
                   "only with skipped.operations=u,d,t"}};
}

std::vector<Question> OnPublication(int server_version, absl::string_view name,
                                    const std::vector<PublishedTable>& captured) {
  const std::string publication =
      absl::StrCat(kPublication, server_version >= 150000 ? kSchemas : "", kMembers);
  const std::vector<std::optional<std::string>> by_name = {std::string(name)};
  return {
      {.reason = "publication_refuses_writes",
       .sql = absl::StrCat(publication, kPublished, kWithoutIdentity),
       .parameters = by_name,
       .message = "the server will refuse UPDATE and DELETE on published tables without replica "
                  "identity",
       .hint = "add a primary key, or ALTER TABLE … REPLICA IDENTITY FULL, or leave the table "
               "out of the publication"},
      {.reason = "publication_key_not_sent",
       .sql = absl::StrCat(publication, kPublished, kKeyNotSent),
       .parameters = by_name,
       .message = "the replica identity of published tables is an index that lacks columns of the "
                  "primary key: key changes are not detected, and deletes lack the key",
       .hint = "ALTER TABLE … REPLICA IDENTITY DEFAULT, or FULL; or name the index's columns in "
               "message.key.columns"},
      {.reason = "publication_key_not_sent",
       .sql = absl::StrCat(publication, kUnderRoot, kRootsKeyNotSent),
       .parameters = {std::string(name), Oids(captured)},
       .message =
           "the replica identity of partitions lacks columns of the unique index that is the "
           "key of their root's records: key changes are not detected, and deletes lack the "
           "key",
       .hint = "ALTER TABLE … REPLICA IDENTITY USING INDEX, or FULL, for each of them; or name the "
               "columns of their identity in message.key.columns"},
      {.reason = "publication_partition_identity",
       .sql = absl::StrCat(publication, kUnderRoot, kNotFull),
       .parameters = {std::string(name), Oids(captured)},
       .message = "a partitioned table has REPLICA IDENTITY FULL, and partitions of it have not: "
                  "what is sent of their old rows is the partition's own identity",
       .hint = "ALTER TABLE … REPLICA IDENTITY FULL for each of them, and for each that is created "
               "later: the table's own is not handed on"},
      {.reason = "publication_without_partitions",
       .sql = absl::StrCat(publication, kRootAlone),
       .parameters = {std::string(name), Oids(captured)},
       .message = "partitioned tables are captured, but not their partitions, under whose names "
                  "the publication sends the rows: those changes will not be captured",
       .hint = absl::StrCat("set publish.via.partition.root=true and ALTER PUBLICATION ",
                            postgres::QuoteIdentifier(name),
                            " SET (publish_via_partition_root), or capture the partitions")},
      {.reason = "publication_lacks_tables",
       .sql = absl::StrCat(publication, kUnpublished),
       .parameters = {std::string(name), Oids(captured)},
       .message = "captured tables are not in the publication: their changes will not be captured",
       .hint =
           absl::StrCat("ALTER PUBLICATION ", postgres::QuoteIdentifier(name), " ADD TABLE …")}};
}

std::vector<Question> OnSignalTable(absl::string_view name, absl::string_view table) {
  return {{.reason = "signal_table_partitioned",
           .sql = std::string(kSignalTableApart),
           .parameters = {std::string(name), std::string(table)},
           .message = "the table of signal.data.collection is partitioned, and the publication "
                      "sends rows under the names of partitions: neither its signals come nor the "
                      "marks that incremental snapshots write to it",
           .hint = absl::StrCat("set publish.via.partition.root=true and ALTER PUBLICATION ",
                                postgres::QuoteIdentifier(name),
                                " SET (publish_via_partition_root), then restart the connector; or "
                                "name a table that is not partitioned")}};
}

}  // namespace

void AdviseBeforePublication(postgres::Connection& connection,
                             const std::optional<std::vector<PublishedTable>>& tables) {
  AskAndLog(connection, BeforePublication(tables));
}

void AdviseOnPublication(postgres::Connection& connection, absl::string_view name,
                         const std::vector<PublishedTable>& captured) {
  AskAndLog(connection, OnPublication(connection.server_version(), name, captured));
}

void AdviseOnSignalTable(postgres::Connection& connection, absl::string_view name,
                         absl::string_view table) {
  AskAndLog(connection, OnSignalTable(name, table));
}

absl::StatusOr<std::vector<Advice>> ListBeforePublication(
    postgres::Connection& connection, const std::optional<std::vector<PublishedTable>>& tables) {
  return AskAndList(connection, BeforePublication(tables));
}

absl::StatusOr<std::vector<Advice>> ListOnPublication(postgres::Connection& connection,
                                                      absl::string_view name,
                                                      const std::vector<PublishedTable>& captured) {
  return AskAndList(connection, OnPublication(connection.server_version(), name, captured));
}

absl::StatusOr<std::vector<Advice>> ListOnSignalTable(postgres::Connection& connection,
                                                      absl::string_view name,
                                                      absl::string_view table) {
  return AskAndList(connection, OnSignalTable(name, table));
}

}  // namespace walduct::replication
