// Checks of a server before anything is created on it. Every failure is FailedPrecondition,
// PermissionDenied or Unimplemented with its own reason and the statement that puts it right.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "base/lsn.h"
#include "postgres/connection.h"

namespace walduct::postgres {

struct ServerInfo {
  int version = 0;  // 150020
  bool in_recovery = false;
  absl::Status decodes;  // FailedPrecondition standby_not_supported: a standby before PostgreSQL 16
  // All that have begun are before it, also one whose commit waits for a synchronous standby.
  uint64_t next_xid = 0;
  std::string encoding;  // server_encoding
};

// Version ≥ 10, wal_level=logical, role may replicate (or is a cloud provider's equivalent),
// recovery state. A standby that cannot decode is not an error: it may be promoted.
absl::StatusOr<ServerInfo> CheckServer(Connection& connection);

// Whether it is a standby, or replays its own WAL still.
absl::StatusOr<bool> IsInRecovery(Connection& connection);

// A free replication slot and WAL sender. Call when a slot must be created.
absl::Status CheckFreeSlot(Connection& connection);

}  // namespace walduct::postgres
