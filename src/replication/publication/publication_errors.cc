#include "replication/publication/publication_errors.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "postgres/connection.h"

namespace walduct::replication {
namespace {

// Ownership of the tables is needed, FOR ALL TABLES needs a superuser: often an administrator must
// do it.
absl::Status Explained(const absl::Status& status, absl::string_view name, absl::string_view hint) {
  const std::string publication = absl::StrCat("publication ", postgres::QuoteIdentifier(name));
  if (!absl::IsPermissionDenied(status)) return WithContext(status, publication);
  return Error(
      absl::StatusCode::kPermissionDenied, "publication_not_permitted",
      absl::StrCat("this role may not create or alter ", publication, ": ", status.message()),
      hint);
}

}  // namespace

bool LostRace(const absl::Status& status) {
  const std::string reason = ErrorReason(status);
  return reason == "object_exists" || reason == "constraint_violation" ||
         reason == "table_missing" || reason == "schema_missing" || reason == "relation_vanished";
}

absl::Status ExplainPublicationError(const absl::Status& status, absl::string_view name,
                                     absl::string_view sql, absl::string_view owner) {
  const std::string by_hand = absl::StrCat("have the owner of the tables or a superuser run: ", sql,
                                           "; and set publication.autocreate.mode=disabled");
  if (owner.empty()) return Explained(status, name, by_hand);
  return Explained(
      status, name,
      absl::StrCat("have a superuser run: ", owner,
                   "; or its present owner, who has to be a member of that role, which needs "
                   "CREATE on the database for it; else ",
                   by_hand));
}

absl::Status ExplainSlotsPublicationError(const absl::Status& status, absl::string_view name,
                                          absl::string_view sql) {
  return Explained(
      status, name,
      absl::StrCat("let it own the tables and the publications; or have their owner or "
                   "a superuser run, all of it in one transaction: BEGIN; ",
                   sql, "; COMMIT;"));
}

}  // namespace walduct::replication
