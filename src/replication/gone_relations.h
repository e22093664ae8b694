// Which relations of a stream are gone from the catalog. Reads pg_class alone: no table is opened,
// no lock on one is waited for.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "base/lsn.h"
#include "postgres/connection.h"

namespace walduct::replication {

// A relation that the stream has told of, and the transaction it was told of in.
struct ToldRelation {
  Oid relation{};
  uint32_t transaction = 0;  // 0: none
};

struct GoneRelations {
  std::vector<Oid> gone;
  Lsn end;  // of the WAL, as of after that: whatever was written to them is before it
};

// Of whatever an earlier question of the session has shown, all is before it.
absl::StatusOr<Lsn> ReadWalEnd(postgres::Connection& connection);

// One whose transaction is not visible yet is not gone: a server sends a transaction before it
// shows it (postgres/relation_reader.h).
absl::StatusOr<GoneRelations> FindGoneRelations(postgres::Connection& connection,
                                                const std::vector<ToldRelation>& told);

}  // namespace walduct::replication
