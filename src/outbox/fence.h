// Fence: the line between outbox rows that are certain to be behind an LSN and all others.
//
// A fence is taken in two statements: first the oldest transaction id that is still running (xmin
// of a snapshot), then the end of the WAL inserted so far. Why a row that is before the fence has
// been published once the stream is past wal_end:
//
//   1. The row version's xmin is a transaction or subtransaction id t < oldest_xid. Ids are handed
//      out in order, and a subtransaction's after its transaction's; so the transaction t belongs
//      to had ended when the snapshot was taken.
//   2. The row is visible to the statement that deletes it, so that transaction committed.
//   3. A transaction writes its commit record before it stops counting as running. So the record
//      was in the WAL when the snapshot was taken, and wal_end, read after it, is not before the
//      record's end. (The *insert* position: with synchronous_commit=off a commit is seen before it
//      is written out.)
//   4. The engine calls an LSN acknowledged when every transaction that commits at or before it has
//      been acknowledged by the sink and the position is stored. acknowledged ≥ wal_end covers the
//      commit of 3.
//
// A prepared transaction counts as running; COMMIT PREPARED is its commit. Clocks and timestamps
// take no part: they only decide when a row is old enough. A long-running transaction, in any
// database of the server, only delays.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "base/lsn.h"
#include "postgres/connection.h"

namespace walduct::outbox {

struct Fence {
  std::string oldest_xid;  // of 32 bits, decimal
  Lsn wal_end;
};

// Not inside a transaction. FailedPrecondition outbox_standby on a standby.
absl::StatusOr<Fence> TakeFence(postgres::Connection& connection);

// What tells that a later session is on the same server, and on which side of this moment a
// transaction began. LSNs and transaction ids of before mean nothing on a standby that has been
// promoted, and after a restart they may be given again.
struct ServerMark {
  std::string started;   // of the server process
  std::string next_xid;  // of 32 bits, decimal
};
absl::StatusOr<ServerMark> MarkServer(postgres::Connection& connection);

// SQL condition on a row's xmin: before the fence. age() counts backwards from the present id and
// so survives wraparound; a fence must be used within 2^31 transactions.
std::string BeforeFence(const Fence& fence);

}  // namespace walduct::outbox
