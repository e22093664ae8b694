// A publication that has another name than the one it was read by. Its new name serves all that was
// written under it, and nothing was lost; one that is made under the old name serves nothing of
// that.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/lsn.h"
#include "postgres/connection.h"

namespace walduct::replication {

// What to do where it has that name now.
std::string RenamedHint(absl::string_view name);

// known: the publication that was read; 0: it is not known, and nothing is found. publication: as
// it is configured. FailedPrecondition publication_other_name: it has another name, and none has
// the one that is configured.
absl::Status CheckNotRenamed(postgres::Connection& connection, absl::string_view publication,
                             Oid known);
// The same where another publication has that name: it may serve all that is still to be read, so
// that this is said only of what has failed by it, or will.
absl::Status CheckSamePublication(postgres::Connection& connection, absl::string_view publication,
                                  Oid known);
struct ReadBy {
  Oid now{};     // since this start
  Oid before{};  // when the stored position was read
};
// The error that says that it is missing, with what is to be done; others as they are.
absl::Status ExplainMissing(postgres::Connection& connection, absl::string_view publication,
                            const ReadBy& read_by, const absl::Status& error);

}  // namespace walduct::replication
