// Text of the replication commands. Pure.
//
// Source: https://www.postgresql.org/docs/current/protocol-replication.html and
// src/backend/replication/repl_gram.y
#pragma once

#include <string>

#include "absl/strings/string_view.h"
#include "base/lsn.h"

namespace walduct::replication {

struct ReplicationOptions;

// Whether large transactions come while they are in progress. PostgreSQL 14 could, too, but sends a
// BEGIN for empty transactions and where a transaction began, which then cannot be known.
bool SendsInProgress(const ReplicationOptions& options, int server_version);

// START_REPLICATION with slot.stream.params first; a parameter of ours replaces one of the same
// name. publication: the name as the catalog has it.
std::string StartReplicationCommand(const ReplicationOptions& options,
                                    absl::string_view publication, Lsn start, int server_version);

// CREATE_REPLICATION_SLOT with an exported snapshot. failover is left out where the server has
// none.
std::string CreateSlotCommand(const ReplicationOptions& options, int server_version,
                              bool in_recovery);

}  // namespace walduct::replication
