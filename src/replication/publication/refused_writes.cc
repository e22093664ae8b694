#include "replication/publication/refused_writes.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"

namespace walduct::replication {
namespace {

constexpr absl::string_view kNever = "false";

// $0: the publication. Its list and filter for c: a partition's are those of the topmost table that
// its rows come as.
constexpr absl::string_view kEntry = R"(
FROM $0 p JOIN pg_catalog.pg_publication q ON q.oid = p.oid
CROSS JOIN LATERAL (SELECT CASE WHEN q.pubviaroot AND c.relispartition THEN (
  SELECT up.relid FROM pg_catalog.pg_partition_ancestors(c.oid) WITH ORDINALITY up(relid, height)
  WHERE EXISTS (SELECT FROM pg_catalog.pg_publication_rel n WHERE n.prpubid = q.oid AND n.prrelid = up.relid)
     OR EXISTS (SELECT FROM pg_catalog.pg_publication_namespace n JOIN pg_catalog.pg_class u ON u.relnamespace = n.pnnspid
                WHERE n.pnpubid = q.oid AND u.oid = up.relid)
  ORDER BY up.height DESC LIMIT 1) ELSE c.oid END) sent(as_oid)
JOIN pg_catalog.pg_publication_rel r ON r.prpubid = q.oid AND r.prrelid = sent.as_oid
WHERE true)";

// $0: the publication. c may have such an entry, which is cheap to say: the set is made once.
constexpr absl::string_view kMayHaveEntry = R"(
c.oid IN (WITH RECURSIVE narrowed(oid) AS (
  SELECT r.prrelid FROM $0 p JOIN pg_catalog.pg_publication_rel r ON r.prpubid = p.oid
  WHERE r.prattrs IS NOT NULL OR r.prqual IS NOT NULL
  UNION SELECT i.inhrelid FROM narrowed n JOIN pg_catalog.pg_inherits i ON i.inhparent = n.oid)
  SELECT n.oid FROM narrowed n))";

// $0: kEntry.
constexpr absl::string_view kHasList = "EXISTS (SELECT $0 AND r.prattrs IS NOT NULL)";

// $0: whether stored ones are sent.
constexpr absl::string_view kHasUnsent = R"(
EXISTS (SELECT FROM pg_catalog.pg_attribute a
        WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
          AND (a.attgenerated = 'v' OR (a.attgenerated = 's' AND NOT $0))))";

// The identity's index, its columns that are compared.
constexpr absl::string_view kIdentity = R"(
(SELECT (i.indkey::pg_catalog.int2[])[0:i.indnkeyatts - 1] FROM pg_catalog.pg_index i
 WHERE i.indrelid = c.oid
   AND CASE c.relreplident WHEN 'i' THEN i.indisreplident WHEN 'd' THEN i.indisprimary END))";

// $0: whether stored ones are sent. $1: kIdentity.
constexpr absl::string_view kUnsentInIdentity = R"(
EXISTS (SELECT FROM pg_catalog.pg_attribute a
        WHERE a.attrelid = c.oid AND a.attnum = ANY (($1)::pg_catalog.int2[])
          AND a.attgenerated = 's' AND NOT $0))";

// $0: kEntry. $1: kIdentity. Columns go by name: a partition may have them in another order. A
// table without identity is told of as such.
constexpr absl::string_view kListLacks = R"(
EXISTS (SELECT $0 AND r.prattrs IS NOT NULL
          AND (c.relreplident = 'f' OR EXISTS (
            SELECT FROM pg_catalog.pg_attribute k
            WHERE k.attrelid = c.oid AND k.attnum = ANY (($1)::pg_catalog.int2[]) AND NOT EXISTS (
              SELECT FROM pg_catalog.pg_attribute s
              WHERE s.attrelid = r.prrelid AND s.attname = k.attname AND s.attnum = ANY (r.prattrs::pg_catalog.int2[]))))))";

// What a filter reads it depends on, as a column list does on its columns.
constexpr absl::string_view kFilterBeyond = R"(
(c.relreplident <> 'f' AND $1 IS NOT NULL AND EXISTS (
  SELECT $0 AND r.prqual IS NOT NULL AND EXISTS (
    SELECT FROM pg_catalog.pg_depend d
    JOIN pg_catalog.pg_attribute s ON s.attrelid = r.prrelid AND s.attnum = d.refobjsubid
    WHERE d.classid = 'pg_catalog.pg_publication_rel'::pg_catalog.regclass AND d.objid = r.oid
      AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.refobjid = r.prrelid AND d.refobjsubid > 0
      AND (r.prattrs IS NULL OR d.refobjsubid <> ALL (r.prattrs::pg_catalog.int2[]))
      AND NOT EXISTS (
        SELECT FROM pg_catalog.pg_attribute k
        WHERE k.attrelid = c.oid AND k.attname = s.attname AND k.attnum = ANY (($1)::pg_catalog.int2[]))))))";

// condition: of an entry (kEntry), with the identity (kIdentity) where it needs it.
std::string OfEntry(absl::string_view condition, absl::string_view publication) {
  return absl::StrCat("(", absl::Substitute(kMayHaveEntry, publication), " AND ",
                      absl::Substitute(condition, AppliedEntry(publication), kIdentity), ")");
}

std::string SendsStored(absl::string_view publication) {
  if (publication.empty()) return std::string(kNever);
  return absl::StrCat("COALESCE((SELECT p.pubgencols = 's' FROM ", publication, " p), false)");
}

}  // namespace

std::string FullIsRefused(int server_version, absl::string_view publication) {
  std::string any(kNever);
  if (server_version >= kVersionWithLists && !publication.empty())
    absl::StrAppend(&any, " OR ", OfEntry(kHasList, publication));
  if (server_version >= kVersionWithUnsent)
    absl::StrAppend(&any, " OR ", absl::Substitute(kHasUnsent, SendsStored(publication)));
  return absl::StrCat("(", any, ")");
}

std::string GeneratedInIdentity(int server_version, absl::string_view publication) {
  if (server_version < kVersionWithUnsent) return std::string(kNever);
  const std::string sends = SendsStored(publication);
  // A list names the generated columns that are sent.
  const std::string listed =
      publication.empty() ? std::string(kNever) : OfEntry(kHasList, publication);
  return absl::StrCat("(CASE WHEN c.relreplident = 'f' THEN ", absl::Substitute(kHasUnsent, sends),
                      " ELSE NOT ", listed, " AND ",
                      absl::Substitute(kUnsentInIdentity, sends, kIdentity), " END)");
}

std::string ListLacksIdentity(int server_version, absl::string_view publication) {
  if (server_version < kVersionWithLists || publication.empty()) return std::string(kNever);
  return OfEntry(kListLacks, publication);
}

std::string FilterBeyondIdentity(int server_version, absl::string_view publication) {
  if (server_version < kVersionWithLists || publication.empty()) return std::string(kNever);
  return OfEntry(kFilterBeyond, publication);
}

std::string AppliedEntry(absl::string_view publication) {
  return absl::Substitute(kEntry, publication);
}

}  // namespace walduct::replication
