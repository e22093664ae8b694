// replica.identity.autoset.values: the replica identities that the configuration asks for, set at
// start. Before slot and snapshot, so that every change of the stream follows them.
//
// Nothing here is worth a stop: without the right (it takes ownership of the table), without a free
// lock, without the index, when several entries match one table, or when the server would refuse
// the table's UPDATE and DELETE from then on (refused_writes.h), an error is logged and the table
// stays as it is.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "postgres/connection.h"
#include "postgres/describe/catalog.h"

namespace walduct::replication {

struct ReplicationOptions;

// captured: the tables to look at. The publication need not be there yet. Fails only when the
// server cannot be asked.
absl::Status SetReplicaIdentities(postgres::Connection& connection,
                                  const ReplicationOptions& options,
                                  const std::vector<postgres::TableName>& captured);

}  // namespace walduct::replication
