// How long a server waits for the replication sessions of this process before it ends them
// (wal_sender_timeout of the session), and for those that poll outbox tables
// (idle_session_timeout). A host that is lost gives up its slots and its tables after that; by the
// server's own setting it is a minute, and of who polls and stands still never.
//
// Thread-safety: any thread; before the sessions that it is for.
#pragma once

#include "absl/time/time.h"

namespace walduct::postgres {

// Zero, as it is at first: the server's own setting.
void AskForSenderTimeout(absl::Duration timeout);
absl::Duration AskedSenderTimeout();

}  // namespace walduct::postgres
