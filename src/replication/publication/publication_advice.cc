#include "replication/publication/publication_advice.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/substitute.h"
#include "base/error.h"
#include "base/log.h"
#include "base/status_macros.h"
#include "postgres/oid_text.h"
#include "replication/publication/refused_writes.h"

namespace walduct::replication {
namespace {

using postgres::Result;

// Of a hint that says FULL.
constexpr absl::string_view kFullNeedsAll =
    " where the publication sends all columns of the table, generated ones too";

// Somebody may hold a lock even on a catalog (VACUUM FULL).
constexpr absl::string_view kQuestionTimeout = "500ms";

// Not pg_publication_tables: that view opens every table, waits for its locks, and fails when one
// is dropped meanwhile.
constexpr absl::string_view kPublication = R"(
WITH RECURSIVE publication AS (
  SELECT p.oid, p.puballtables, p.pubupdate OR p.pubdelete AS changes,
         pg_catalog.to_jsonb(p) OPERATOR(pg_catalog.->>) 'pubgencols' AS pubgencols,
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

constexpr absl::string_view kFirst = "\nORDER BY 1 LIMIT 20";

// What a question needs to find anything.
constexpr absl::string_view kAnyRoot =
    "EXISTS (SELECT FROM pg_catalog.pg_class r WHERE r.relkind = 'p')";
constexpr absl::string_view kAnyGenerated =
    "EXISTS (SELECT FROM pg_catalog.pg_attribute a WHERE a.attgenerated <> '')";
constexpr absl::string_view kAnyList =
    "EXISTS (SELECT FROM publication p JOIN pg_catalog.pg_publication_rel r ON r.prpubid = p.oid "
    "WHERE r.prattrs IS NOT NULL)";
constexpr absl::string_view kAnyFilter =
    "EXISTS (SELECT FROM publication p JOIN pg_catalog.pg_publication_rel r ON r.prpubid = p.oid "
    "WHERE r.prqual IS NOT NULL)";

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
constexpr absl::string_view kWithoutIdentity = R"((
  c.relreplident = 'n'
  OR (c.relreplident = 'd' AND NOT EXISTS (
        SELECT 1 FROM pg_catalog.pg_index i WHERE i.indrelid = c.oid AND i.indisprimary AND i.indimmediate))
  OR (c.relreplident = 'i' AND NOT EXISTS (
        SELECT 1 FROM pg_catalog.pg_index i WHERE i.indrelid = c.oid AND i.indisreplident))))";

// It could be the identity of such a table.
constexpr absl::string_view kHasKey =
    "EXISTS (SELECT FROM pg_catalog.pg_index i "
    "WHERE i.indrelid = c.oid AND i.indisprimary AND i.indimmediate)";

// The server sends the old values of the index's columns alone.
constexpr absl::string_view kKeyNotSent = R"((
  c.relreplident = 'i' AND EXISTS (
    SELECT 1 FROM pg_catalog.pg_index k JOIN pg_catalog.pg_index i ON i.indrelid = k.indrelid
    WHERE k.indrelid = c.oid AND k.indisprimary AND i.indisreplident
      AND NOT k.indkey::pg_catalog.int2[] OPERATOR(pg_catalog.<@) i.indkey::pg_catalog.int2[])))";

// Partitions whose rows come under the name of a root; of the captured ones, where they are named.
constexpr absl::string_view kUnderRoot = R"(
, below(root, oid) AS (
  SELECT c.oid, c.oid FROM publication p CROSS JOIN pg_catalog.pg_class c
  WHERE c.relkind = 'p' AND (p.puballtables OR c.oid IN (SELECT m.oid FROM members m))
    AND ($2::pg_catalog.oid[] = '{}' OR c.oid = ANY ($2::pg_catalog.oid[]))
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
  AND NOT EXISTS (SELECT 1 FROM published p WHERE p.oid = c.oid))";

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
FROM pg_catalog.pg_publication p, pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE p.pubname = $1 AND c.relkind = 'p' AND pg_catalog.concat(n.nspname, '.', c.relname) = $2
  AND (pg_catalog.to_jsonb(p) OPERATOR(pg_catalog.->>) 'pubviaroot') = 'false'
  AND EXISTS (SELECT FROM pg_catalog.pg_publication_tables t
    JOIN pg_catalog.pg_partition_tree(c.oid) part
      ON part.relid = pg_catalog.to_regclass(pg_catalog.format('%I.%I', t.schemaname, t.tablename)) WHERE t.pubname = p.pubname))";

struct Question {
  absl::string_view reason;
  std::string sql = {};
  std::vector<std::optional<std::string>> parameters;
  std::string message;  // when it finds tables
  std::string hint = {};
  absl::string_view of_each = {};  // before it: a statement, $0: a table
  std::string only_if = {};        // see Sift
};

struct Inquiry {
  std::vector<Question> questions;
  std::string published = {};  // what only_if speaks of; "": all are asked
  std::vector<std::optional<std::string>> parameters = {};
};

using Hear = absl::FunctionRef<void(const Advice&)>;

void LogAdvice(const Advice& advice) {
  log::Warn(advice.message,
            {{"count", advice.count}, {"tables", advice.tables}, {"hint", advice.hint}});
}

absl::Status AskOne(postgres::Connection& connection, const Question& question, Hear hear) {
  ASSIGN_OR_RETURN(const Result result,
                   connection.Query(postgres::Rows(2), question.sql, question.parameters));
  if (result.rows() == 0) return absl::OkStatus();
  std::vector<std::string> names;
  std::string statements;
  for (int row = 0; row < result.rows(); ++row) {
    names.emplace_back(result.Get(row, 0));
    if (question.of_each.empty()) continue;
    absl::StrAppend(&statements, absl::Substitute(question.of_each, names.back()), "; ");
  }
  const std::string listed = absl::StrJoin(names, ", "), hint = statements + question.hint,
                    full = absl::StrJoin(names, " REPLICA IDENTITY FULL; ALTER TABLE ");
  hear({std::string(question.reason), question.message, std::string(result.Get(0, 1)), listed,
        absl::StrReplaceAll(hint, {{"ADD TABLE …", absl::StrCat("ADD TABLE ", listed)},
                                   {"… REPLICA IDENTITY FULL", full + " REPLICA IDENTITY FULL"}})});
  return absl::OkStatus();
}

// One look at all tables says which questions may have an answer: most have none.
absl::StatusOr<std::vector<Question>> Sift(postgres::Connection& connection,
                                           const Inquiry& inquiry) {
  if (inquiry.published.empty()) return inquiry.questions;
  std::vector<absl::string_view> conditions;
  for (const Question& question : inquiry.questions) conditions.push_back(question.only_if);
  std::sort(conditions.begin(), conditions.end());
  conditions.erase(std::unique(conditions.begin(), conditions.end()), conditions.end());
  ASSIGN_OR_RETURN(const Result result,
                   connection.Query(postgres::OneRow(static_cast<int>(conditions.size())),
                                    absl::StrCat(inquiry.published, "\nSELECT ",
                                                 absl::StrJoin(conditions, ",\n"),
                                                 "\nFROM published c WHERE c.changes"),
                                    inquiry.parameters));
  std::vector<Question> kept;
  for (const Question& question : inquiry.questions) {
    const auto place = std::lower_bound(conditions.begin(), conditions.end(), question.only_if);
    if (result.Get(0, static_cast<int>(place - conditions.begin())) == "t")
      kept.push_back(question);
  }
  return kept;
}

absl::Status AskThose(postgres::Connection& connection, const Inquiry& inquiry, Hear hear) {
  ASSIGN_OR_RETURN(const std::vector<Question> questions, Sift(connection, inquiry));
  for (const Question& question : questions) RETURN_IF_ERROR(AskOne(connection, question, hear));
  return absl::OkStatus();
}

absl::Status Ask(postgres::Connection& connection, const Inquiry& inquiry, Hear hear) {
  absl::Status status = connection.Set("lock_timeout", kQuestionTimeout);
  if (status.ok()) status = AskThose(connection, inquiry, hear);
  connection.Set("lock_timeout", "0").IgnoreError();
  return status;
}

// The session may be broken: the next question that matters says so.
void AskAndLog(postgres::Connection& connection, const Inquiry& inquiry) {
  const absl::Status status = Ask(connection, inquiry, &LogAdvice);
  if (status.ok()) return;
  log::Warn("the publication could not be checked; it is checked again with the next connection",
            {{"error", std::string(status.message())}, {"hint", ErrorHint(status)}});
}

absl::StatusOr<std::vector<Advice>> AskAndList(postgres::Connection& connection,
                                               const Inquiry& inquiry) {
  std::vector<Advice> all;
  RETURN_IF_ERROR(Ask(connection, inquiry, [&](const Advice& one) { all.push_back(one); }));
  return all;
}

std::string Oids(const std::vector<PublishedTable>& tables) {
  std::vector<Oid> oids;
  for (const PublishedTable& table : tables) oids.push_back(table.relation);
  return postgres::OidArray(oids);
}

// condition: of a published table c.
std::string SomeOf(absl::string_view condition) {
  return absl::StrCat("coalesce(pg_catalog.bool_or(", condition, "), false)");
}

// One that finds nothing on this server is not asked.
void Add(absl::string_view sql, absl::string_view where, Question question,
         std::vector<Question>* questions) {
  if (where == "false") return;
  question.sql = absl::StrCat(sql, "\n  AND ", where, kFirst);
  if (question.only_if.empty()) question.only_if = SomeOf(where);
  questions->push_back(std::move(question));
}

// By what gives them one. no_full: SQL, where FULL would not. instead: of the hint. question:
// without its hint.
void AddWithoutIdentity(absl::string_view sql, const std::string& no_full,
                        absl::string_view instead, Question question,
                        std::vector<Question>* questions) {
  question.only_if = SomeOf(kWithoutIdentity);
  Question keyed = question, bare = question;
  keyed.message += ", though they have a primary key";
  keyed.of_each = "ALTER TABLE $0 REPLICA IDENTITY DEFAULT";
  keyed.hint = std::string(instead);
  question.hint =
      absl::StrCat("add a primary key, or ALTER TABLE … REPLICA IDENTITY FULL; ", instead);
  bare.message += ", and of which not all columns are sent: under REPLICA IDENTITY FULL as well";
  bare.hint = absl::StrCat("add a primary key; ", instead);
  const std::string unkeyed = absl::StrCat(kWithoutIdentity, " AND NOT ", kHasKey, " AND ");
  Add(sql, absl::StrCat(kWithoutIdentity, " AND ", kHasKey), std::move(keyed), questions);
  Add(sql, absl::StrCat(unkeyed, "NOT ", no_full), std::move(question), questions);
  if (no_full != "(false)") Add(sql, absl::StrCat(unkeyed, no_full), std::move(bare), questions);
}

Inquiry BeforePublication(int server_version,
                          const std::optional<std::vector<PublishedTable>>& tables) {
  std::optional<std::string> oids;
  if (tables) oids = Oids(*tables);
  const std::string no_full = FullIsRefused(server_version, "");
  const std::vector<std::optional<std::string>> parameters = {std::move(oids)};
  constexpr absl::string_view kReason = "publication_would_refuse_writes";
  std::vector<Question> questions;
  AddWithoutIdentity(
      kToBePublished, no_full, "or publish inserts only with skipped.operations=u,d,t",
      {.reason = kReason,
       .parameters = parameters,
       .message = "about to publish tables without replica identity: the server will refuse "
                  "UPDATE and DELETE on them"},
      &questions);
  if (server_version < kVersionWithUnsent) return {.questions = std::move(questions)};
  Add(kToBePublished, GeneratedInIdentity(server_version, ""),
      {.reason = kReason,
       .parameters = parameters,
       .message = "about to publish tables whose replica identity has generated columns, which "
                  "are not sent: the server will refuse UPDATE and DELETE on them",
       .hint = "add a primary key of other columns, and ALTER TABLE … REPLICA IDENTITY DEFAULT; or "
               "publish inserts only with skipped.operations=u,d,t"},
      &questions);
  return {.questions = std::move(questions)};
}

// What stops the applications that write to published tables.
std::vector<Question> OnRefusedWrites(int version, absl::string_view published,
                                      absl::string_view name) {
  constexpr absl::string_view kReason = "publication_refuses_writes", kOf = "publication";
  const std::string alter =
      absl::StrCat("ALTER PUBLICATION ", postgres::QuoteIdentifier(name), " SET ");
  const std::vector<std::optional<std::string>> by_name = {std::string(name)};
  const std::string no_full = FullIsRefused(version, kOf);
  std::vector<Question> questions;
  AddWithoutIdentity(published, no_full, "or leave the table out of the publication",
                     {.reason = kReason,
                      .parameters = by_name,
                      .message = "the server will refuse UPDATE and DELETE on published tables "
                                 "without replica identity"},
                     &questions);
  Add(published, GeneratedInIdentity(version, kOf),
      {.reason = kReason,
       .parameters = by_name,
       .message = "the server will refuse UPDATE and DELETE on published tables whose replica "
                  "identity has generated columns that the publication does not send",
       .hint = absl::StrCat(
           "ALTER TABLE … REPLICA IDENTITY DEFAULT, with a primary key of other columns; where "
           "none of them is VIRTUAL, ",
           alter, "(publish_generated_columns = stored) does as well"),
       .only_if = std::string(kAnyGenerated)},
      &questions);
  Add(published, ListLacksIdentity(version, kOf),
      {.reason = kReason,
       .parameters = by_name,
       .message = "the server will refuse UPDATE and DELETE on published tables whose column list "
                  "lacks columns of the replica identity (FULL is all columns)",
       .hint =
           absl::StrCat("name the key's columns in the list, and ALTER TABLE … REPLICA IDENTITY "
                        "DEFAULT; or publish all columns: ",
                        alter, "TABLE …"),
       .only_if = std::string(kAnyList)},
      &questions);
  Add(published, FilterBeyondIdentity(version, kOf),
      {.reason = kReason,
       .parameters = by_name,
       .message = "the server will refuse UPDATE and DELETE on published tables whose row filter "
                  "reads columns outside of the replica identity",
       .hint = absl::StrCat("ALTER TABLE … REPLICA IDENTITY FULL, where all columns are sent; or "
                            "publish all rows: ",
                            alter, "TABLE …"),
       .only_if = std::string(kAnyFilter)},
      &questions);
  return questions;
}

Inquiry OnPublication(int server_version, absl::string_view name,
                      const std::vector<PublishedTable>& captured) {
  const std::string publication =
      absl::StrCat(kPublication, server_version >= 150000 ? kSchemas : "", kMembers);
  const std::string published = absl::StrCat(publication, kPublished);
  std::vector<Question> questions = OnRefusedWrites(server_version, published, name);
  Add(published, kKeyNotSent,
      {.reason = "publication_key_not_sent",
       .parameters = {std::string(name)},
       .message = "the replica identity of published tables is an index that lacks columns of the "
                  "primary key: key changes are not detected, and deletes lack the key",
       .hint = absl::StrCat("ALTER TABLE … REPLICA IDENTITY DEFAULT, or FULL", kFullNeedsAll,
                            "; or name the index's columns in message.key.columns")},
      &questions);
  const std::vector<std::optional<std::string>> of_captured = {std::string(name), Oids(captured)};
  questions.insert(
      questions.end(),
      {{.reason = "publication_key_not_sent",
        .sql = absl::StrCat(publication, kUnderRoot, kRootsKeyNotSent),
        .parameters = of_captured,
        .message = "the replica identity of partitions lacks columns of the unique index that is "
                   "the key of their root's records: key changes are not detected, and deletes "
                   "lack the key",
        .hint = absl::StrCat("ALTER TABLE … REPLICA IDENTITY USING INDEX, or FULL", kFullNeedsAll,
                             ", for each of them; or name the columns of their identity in "
                             "message.key.columns"),
        .only_if = std::string(kAnyRoot)},
       {.reason = "publication_partition_identity",
        .sql = absl::StrCat(publication, kUnderRoot, kNotFull),
        .parameters = of_captured,
        .message = "a partitioned table has REPLICA IDENTITY FULL, and partitions of it have not: "
                   "what is sent of their old rows is the partition's own identity",
        .hint =
            absl::StrCat("ALTER TABLE … REPLICA IDENTITY FULL for each of them,", kFullNeedsAll,
                         ", and for each that is created later: the table's own is not handed on"),
        .only_if = std::string(kAnyRoot)},
       {.reason = "publication_without_partitions",
        .sql = absl::StrCat(publication, kRootAlone),
        .parameters = of_captured,
        .message = "partitioned tables are captured, but not their partitions, under whose names "
                   "the publication sends the rows: those changes will not be captured",
        .hint = absl::StrCat("set publish.via.partition.root=true and ALTER PUBLICATION ",
                             postgres::QuoteIdentifier(name),
                             " SET (publish_via_partition_root), or capture the partitions"),
        .only_if = std::string(kAnyRoot)},
       {.reason = "publication_lacks_tables",
        .sql = absl::StrCat(publication, kUnpublished, kFirst),
        .parameters = of_captured,
        .message = "captured tables are not in the publication: their changes will not be captured",
        .hint = absl::StrCat("ALTER PUBLICATION ", postgres::QuoteIdentifier(name), " ADD TABLE …"),
        .only_if = absl::StrCat("EXISTS (", kUnpublished, ")")}});
  return {.questions = std::move(questions), .published = publication, .parameters = of_captured};
}

Inquiry OnSignalTable(absl::string_view name, absl::string_view table,
                      const names::Called& called) {
  return {
      .questions = {
          {.reason = "signal_table_partitioned",
           .sql = std::string(kSignalTableApart),
           .parameters = {std::string(name), std::string(table)},
           .message = "the table of signal.data.collection is partitioned, and the publication "
                      "sends rows under the names of partitions: neither its signals come nor the "
                      "marks that incremental snapshots write to it",
           .hint = absl::StrCat(
               "set publish.via.partition.root=true and ALTER PUBLICATION ",
               postgres::QuoteIdentifier(name), " SET (publish_via_partition_root), then ",
               names::RestartCommand(called), "; or name a table that is not partitioned")}}};
}

}  // namespace

void AdviseBeforePublication(postgres::Connection& connection,
                             const std::optional<std::vector<PublishedTable>>& tables) {
  AskAndLog(connection, BeforePublication(connection.server_version(), tables));
}

void AdviseOnPublication(postgres::Connection& connection, absl::string_view name,
                         const std::vector<PublishedTable>& captured) {
  AskAndLog(connection, OnPublication(connection.server_version(), name, captured));
}

void AdviseOnSignalTable(postgres::Connection& connection, absl::string_view name,
                         absl::string_view table, const names::Called& called) {
  AskAndLog(connection, OnSignalTable(name, table, called));
}

absl::StatusOr<std::vector<Advice>> ListBeforePublication(
    postgres::Connection& connection, const std::optional<std::vector<PublishedTable>>& tables) {
  return AskAndList(connection, BeforePublication(connection.server_version(), tables));
}

absl::StatusOr<std::vector<Advice>> ListOnPublication(postgres::Connection& connection,
                                                      absl::string_view name,
                                                      const std::vector<PublishedTable>& captured) {
  return AskAndList(connection, OnPublication(connection.server_version(), name, captured));
}

absl::StatusOr<std::vector<Advice>> ListOnSignalTable(postgres::Connection& connection,
                                                      absl::string_view name,
                                                      absl::string_view table,
                                                      const names::Called& called) {
  return AskAndList(connection, OnSignalTable(name, table, called));
}

}  // namespace walduct::replication
