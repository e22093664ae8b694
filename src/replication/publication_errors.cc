#include "replication/publication_errors.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "postgres/connection.h"

namespace walduct::replication {

bool LostRace(const absl::Status& status) {
  const std::string reason = ErrorReason(status);
  return reason == "object_exists" || reason == "constraint_violation" ||
         reason == "table_missing" || reason == "schema_missing" || reason == "relation_vanished";
}

// Ownership of the tables is needed, FOR ALL TABLES needs a superuser: often an administrator must
// do it.
absl::Status ExplainPublicationError(const absl::Status& status, absl::string_view name,
                                     absl::string_view sql) {
  if (!absl::IsPermissionDenied(status)) {
    return WithContext(status, absl::StrCat("publication ", postgres::QuoteIdentifier(name)));
  }
  return Error(absl::StatusCode::kPermissionDenied, "publication_not_permitted",
               absl::StrCat("this role may not create or alter publication ",
                            postgres::QuoteIdentifier(name), ": ", status.message()),
               absl::StrCat("have the owner of the tables or a superuser run: ", sql,
                            "; and set publication.autocreate.mode=disabled"));
}

}  // namespace walduct::replication
