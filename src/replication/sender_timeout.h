// wal_sender_timeout, and how often the server must hear from us because of it.
#pragma once

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "postgres/connection.h"

namespace walduct::replication {

// Of our replication sessions (AskForSenderTimeout). Zero: the server waits for ever.
absl::StatusOr<absl::Duration> ReadSenderTimeout(postgres::Connection& sql);

// Three times within a short wal_sender_timeout.
absl::Duration StatusInterval(absl::Duration sender_timeout, absl::Duration configured);

}  // namespace walduct::replication
