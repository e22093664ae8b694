#include "replication/publication/renamed_publication.h"

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "replication/publication_name.h"

namespace walduct::replication {
namespace {

constexpr absl::string_view kName = R"(
SELECT p.pubname FROM pg_catalog.pg_publication p
WHERE p.oid = $1::pg_catalog.oid AND NOT EXISTS (
  SELECT FROM pg_catalog.pg_publication o WHERE o.pubname = $2))";

}  // namespace

std::string RenamedHint(absl::string_view name) {
  return absl::StrCat("set publication.name=", name,
                      ", which it is called now, and start the connector again: what was written "
                      "meanwhile comes, and nothing is read anew");
}

absl::Status CheckNotRenamed(postgres::Connection& connection, absl::string_view publication,
                             Oid known) {
  if (known == Oid{}) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::string name, ResolvePublicationName(connection, publication));
  ASSIGN_OR_RETURN(
      const postgres::Result found,
      connection.Query(postgres::Rows(1), kName, {absl::StrCat(ToInteger(known)), name}));
  if (found.rows() == 0) return absl::OkStatus();
  return Error(absl::StatusCode::kFailedPrecondition, "publication_missing",
               absl::StrCat("publication ", postgres::QuoteIdentifier(name),
                            " has been renamed to ", postgres::QuoteIdentifier(found.Get(0, 0))),
               RenamedHint(found.Get(0, 0)));
}

absl::Status ExplainMissing(postgres::Connection& connection, absl::string_view publication,
                            Oid known, const absl::Status& error) {
  if (ErrorReason(error) != "publication_missing") return error;
  const absl::Status renamed = CheckNotRenamed(connection, publication, known);
  if (ErrorReason(renamed) != "publication_missing") return error;
  return Error(error.code(), "publication_missing", error.message(), ErrorHint(renamed));
}

}  // namespace walduct::replication
