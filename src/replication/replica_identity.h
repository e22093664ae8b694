// replica.identity.autoset.values: the replica identities that the configuration asks for, set at
// start. Before slot and snapshot, so that every change of the stream follows them.
//
// Nothing here is worth a stop: without the right (it takes ownership of the table), without a free
// lock, without the index, or when several entries match one table, an error is logged and the
// table stays as it is.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "postgres/catalog.h"
#include "postgres/connection.h"

namespace walduct::replication {

struct ReplicaIdentityRule;

// captured: the tables to look at. Fails only when the server cannot be asked.
absl::Status SetReplicaIdentities(postgres::Connection& connection,
                                  const std::vector<ReplicaIdentityRule>& rules,
                                  const std::vector<postgres::TableName>& captured);

}  // namespace walduct::replication
