#include "replication/publication/renamed_publication.h"

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "replication/publication_name.h"

namespace walduct::replication {
namespace {

constexpr absl::string_view kName = R"(
SELECT p.pubname FROM pg_catalog.pg_publication p
WHERE p.oid = $1::pg_catalog.oid AND p.pubname <> $2 AND $3 = EXISTS (
  SELECT FROM pg_catalog.pg_publication o WHERE o.pubname = $2))";

// taken: whether another one has the name that is configured.
absl::Status CheckName(postgres::Connection& connection, absl::string_view publication, Oid known,
                       bool taken) {
  if (known == Oid{}) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::string name, ResolvePublicationName(connection, publication));
  ASSIGN_OR_RETURN(const postgres::Result found,
                   connection.Query(postgres::Rows(1), kName,
                                    {absl::StrCat(ToInteger(known)), name,
                                     std::string(taken ? "true" : "false")}));
  if (found.rows() == 0) return absl::OkStatus();
  return Error(absl::StatusCode::kFailedPrecondition, "publication_other_name",
               absl::StrCat("publication.name is ", postgres::QuoteIdentifier(name),
                            ", and the publication by which the stored position was read is ",
                            postgres::QuoteIdentifier(found.Get(0, 0)),
                            ": it was renamed, or another name was configured"),
               RenamedHint(found.Get(0, 0)));
}

}  // namespace

std::string RenamedHint(absl::string_view name) {
  return absl::StrCat("set publication.name=", name,
                      ", which it is called now, and start the connector again: what was written "
                      "meanwhile comes, and nothing is read anew");
}

absl::Status CheckNotRenamed(postgres::Connection& connection, absl::string_view publication,
                             Oid known) {
  return CheckName(connection, publication, known, /*taken=*/false);
}

absl::Status CheckSamePublication(postgres::Connection& connection, absl::string_view publication,
                                  Oid known) {
  return CheckName(connection, publication, known, /*taken=*/true);
}

absl::Status ExplainMissing(postgres::Connection& connection, absl::string_view publication,
                            const ReadBy& read_by, const absl::Status& error) {
  if (ErrorReason(error) != "publication_missing") return error;
  absl::Status renamed = CheckNotRenamed(connection, publication, read_by.now);
  if (renamed.ok()) renamed = CheckSamePublication(connection, publication, read_by.before);
  if (ErrorReason(renamed) != "publication_other_name") return error;
  return Error(error.code(), "publication_other_name", error.message(), ErrorHint(renamed));
}

}  // namespace walduct::replication
