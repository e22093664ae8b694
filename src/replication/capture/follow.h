// Tables that come into a publication while it is read (walduct.publication.follow).
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "postgres/connection.h"
#include "replication/publication/publication_sql.h"

namespace walduct::replication {

struct FollowResult {
  std::vector<PublishedTable> added;
  // What keeps the others out, and what to type.
  struct Refusal {
    std::string table, why, hint;
    bool for_good = false;  // another attempt now would end the same
  };
  std::vector<Refusal> refused;
  bool whole = true;  // all were tried
};

// Adds those that applications can go on writing to. ALTER PUBLICATION locks a table against VACUUM
// and DDL, never against readers and writers. It waits for that lock for two seconds at most; after
// some seconds of that the rest is left for another time.
absl::StatusOr<FollowResult> AddToPublication(postgres::Connection& connection,
                                              const std::string& publication,
                                              const std::vector<PublishedTable>& tables,
                                              const postgres::StopCheck& stopping);

}  // namespace walduct::replication
