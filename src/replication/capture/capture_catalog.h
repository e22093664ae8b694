// Looks at the catalog for what decides whether a table's rows come with the stream. No table of a
// user is opened or locked, no lock of one is waited for.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "postgres/connection.h"
#include "replication/capture/capture_facts.h"
#include "replication/capture/capture_judge.h"

namespace walduct::replication {

// Changes whenever the facts change; now and then when they do not. Costs the server a small part
// of what they cost, and the network next to nothing.
absl::StatusOr<std::string> ReadCaptureMark(postgres::Connection& connection);

// publications: their names as they are resolved. In one transaction.
absl::StatusOr<CaptureFacts> ReadCaptureFacts(postgres::Connection& connection,
                                              const std::vector<std::string>& publications);

// Marks those findings whose table is to be read and has no key for an incremental snapshot to walk
// by: a hint that names what leaves the table out would never end. tables: all that there are.
absl::Status MarkKeyless(postgres::Connection& connection, const std::vector<TableFacts>& tables,
                         std::vector<CaptureFinding>* findings);

// Which of these tables have no such key.
absl::StatusOr<std::set<Oid>> ReadKeyless(postgres::Connection& connection,
                                          const std::vector<Oid>& tables);

// The transactions that may have written to these tables and have not ended; on a standby, which
// does not know that of its primary, one name for all that are running.
absl::StatusOr<std::set<std::string>> ReadWriters(postgres::Connection& connection,
                                                  const std::vector<Oid>& tables);
// Those of them that still run.
absl::StatusOr<std::set<std::string>> StillRunning(postgres::Connection& connection,
                                                   const std::set<std::string>& writers,
                                                   const std::vector<Oid>& tables);

}  // namespace walduct::replication
