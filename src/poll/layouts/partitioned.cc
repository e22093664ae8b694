#include "poll/layouts/partitioned.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"

namespace walduct::poll {
namespace {

constexpr absl::string_view kOwned = R"(
SELECT c.relkind = 'p', pg_catalog.pg_has_role(c.relowner, 'USAGE'), pg_catalog.quote_ident(current_user)
FROM pg_catalog.pg_class c WHERE c.oid = $1::pg_catalog.oid)";

}  // namespace

absl::Status CheckPartitioned(postgres::Connection& connection, absl::string_view called,
                              const OutboxTable& table) {
  ASSIGN_OR_RETURN(const auto facts, connection.Query(postgres::OneRow(3), std::string(kOwned),
                                                      {absl::StrCat(ToInteger(table.relation))}));
  if (facts.Get(0, 0) != "t")
    return Error(absl::StatusCode::kFailedPrecondition, "outbox_not_partitioned",
                 absl::StrCat("outbox table ", called, " has no partitions to drop"),
                 "set walduct.outbox.cleanup=none");
  if (facts.Get(0, 1) == "t") return absl::OkStatus();
  return Error(absl::StatusCode::kFailedPrecondition, "permission_denied",
               absl::StrCat("role ", facts.Get(0, 2), " may not drop partitions of outbox table ",
                            called, ": only its owner may"),
               absl::StrCat("ALTER TABLE ", table.name, " OWNER TO ", facts.Get(0, 2),
                            ", and of each partition; or set walduct.outbox.cleanup=none"));
}

}  // namespace walduct::poll
