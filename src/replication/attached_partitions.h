// Tables that became partitions with rows in them: what they had was sent under another name, or by
// nobody. CREATE TABLE … PARTITION OF makes none of these. And tables that the publication names
// only since then. Opens the tables that it has found.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "postgres/connection.h"
#include "replication/coverage.h"

namespace walduct::replication {

// Which transactions are behind, as text that goes with a position. snapshot: of
// txid_current_snapshot. oldest: the first that it has running.
std::string SeenText(absl::string_view snapshot, absl::string_view oldest);

struct AttachedQuery {
  std::vector<Oid> tables;  // as which rows come
  bool via_root = false;    // partitioned ones bring the rows of what is below them
  std::string since;        // of SeenText
};
// Those that were attached since then, but for what was empty, as far as that can be seen.
absl::StatusOr<std::vector<Coverage::Attached>> ReadAttached(postgres::Connection& connection,
                                                             const AttachedQuery& query);
// Tables that came into the publication since coverage->since, and had no row then, are `whole`, as
// far as that can be seen.
absl::Status LookForOlderRows(postgres::Connection& connection, Coverage* coverage);
// The same of tables that were `placed_later` since then, or got other files.
absl::Status LookForPlaced(postgres::Connection& connection, Coverage* coverage);

}  // namespace walduct::replication
