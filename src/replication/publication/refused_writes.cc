#include "replication/publication/refused_writes.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"

namespace walduct::replication {
namespace {

constexpr absl::string_view kNever = "false";

// $0: the publication.
constexpr absl::string_view kHasList = R"(
EXISTS (SELECT FROM $0 p JOIN pg_catalog.pg_publication_rel r ON r.prpubid = p.oid
        WHERE r.prrelid = c.oid AND r.prattrs IS NOT NULL))";

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

// $0: the publication. $1: kIdentity. A table without identity is told of as such.
constexpr absl::string_view kListLacks = R"(
EXISTS (SELECT FROM $0 p JOIN pg_catalog.pg_publication_rel r ON r.prpubid = p.oid
        WHERE r.prrelid = c.oid AND r.prattrs IS NOT NULL
          AND (c.relreplident = 'f'
               OR NOT $1 OPERATOR(pg_catalog.<@) r.prattrs::pg_catalog.int2[])))";

// What a filter reads it depends on, as a column list does on its columns.
constexpr absl::string_view kFilterBeyond = R"(
(c.relreplident <> 'f' AND EXISTS (
  SELECT FROM $0 p JOIN pg_catalog.pg_publication_rel r ON r.prpubid = p.oid
  JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_publication_rel'::pg_catalog.regclass AND d.objid = r.oid
  WHERE r.prrelid = c.oid AND r.prqual IS NOT NULL
    AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.refobjid = c.oid AND d.refobjsubid > 0
    AND (r.prattrs IS NULL OR d.refobjsubid <> ALL (r.prattrs::pg_catalog.int2[]))
    AND d.refobjsubid <> ALL (($1)::pg_catalog.int2[]))))";

std::string SendsStored(absl::string_view publication) {
  if (publication.empty()) return std::string(kNever);
  return absl::StrCat("COALESCE((SELECT p.pubgencols = 's' FROM ", publication, " p), false)");
}

}  // namespace

std::string FullIsRefused(int server_version, absl::string_view publication) {
  std::string any(kNever);
  if (server_version >= kVersionWithLists && !publication.empty())
    absl::StrAppend(&any, " OR ", absl::Substitute(kHasList, publication));
  if (server_version >= kVersionWithUnsent)
    absl::StrAppend(&any, " OR ", absl::Substitute(kHasUnsent, SendsStored(publication)));
  return absl::StrCat("(", any, ")");
}

std::string GeneratedInIdentity(int server_version, absl::string_view publication) {
  if (server_version < kVersionWithUnsent) return std::string(kNever);
  const std::string sends = SendsStored(publication);
  // A list names the generated columns that are sent.
  const std::string listed =
      publication.empty() ? std::string(kNever) : absl::Substitute(kHasList, publication);
  return absl::StrCat("(CASE WHEN c.relreplident = 'f' THEN ", absl::Substitute(kHasUnsent, sends),
                      " ELSE NOT ", listed, " AND ",
                      absl::Substitute(kUnsentInIdentity, sends, kIdentity), " END)");
}

std::string ListLacksIdentity(int server_version, absl::string_view publication) {
  if (server_version < kVersionWithLists || publication.empty()) return std::string(kNever);
  return absl::Substitute(kListLacks, publication, kIdentity);
}

std::string FilterBeyondIdentity(int server_version, absl::string_view publication) {
  if (server_version < kVersionWithLists || publication.empty()) return std::string(kNever);
  return absl::Substitute(kFilterBeyond, publication, kIdentity);
}

}  // namespace walduct::replication
