#include "replication/publication_name.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace walduct::replication {

absl::StatusOr<std::string> ResolvePublicationName(postgres::Connection& connection,
                                                   absl::string_view name) {
  const std::string folded = absl::AsciiStrToLower(name);
  if (folded == name) return folded;
  ASSIGN_OR_RETURN(
      const postgres::Result result,
      connection.Query(
          postgres::Rows(1),
          absl::StrCat("SELECT pubname FROM pg_catalog.pg_publication WHERE pubname IN (",
                       postgres::QuoteLiteral(name), ", ", postgres::QuoteLiteral(folded), ")")));
  bool exact = false;
  for (int row = 0; row < result.rows(); ++row) exact = exact || result.Get(row, 0) == name;
  return exact || result.rows() == 0 ? std::string(name) : folded;
}

}  // namespace walduct::replication
