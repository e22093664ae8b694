// StartCoverage: how the publication sends what is captured, as a stream begins. A table that has
// come into the publication since the position was stored, perhaps by this start, is held back
// while transactions are open that may have written to it before: their rows are neither in the
// stream nor, yet, to be read. A CaptureWatch tells it as sent once they have ended.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "postgres/connection.h"
#include "postgres/describe/catalog.h"
#include "replication/coverage.h"
#include "replication/publication/publication_sql.h"
#include "replication/publication/renamed_publication.h"

namespace walduct::slot {

class StartCoverage {
 public:
  // What this start has put into the publication, where a slot was there before. seen: with the
  // stored position; empty: not known. publication: by which that was read; 0: not known.
  void Added(const std::vector<replication::PublishedTable>& tables, const std::string& seen,
             Oid publication);

  // publication: as it is configured. Absent: not known. Advice: a server that went away is found
  // by who needs it.
  std::optional<replication::Coverage> Look(postgres::Connection& sql,
                                            const std::string& publication,
                                            const std::vector<postgres::TableName>& captured);
  // now: as Look has found it.
  const replication::ReadBy& read_by() const { return read_by_; }
  // The tables that Look has held back.
  const std::set<Oid>& held_back() const { return held_back_; }

 private:
  std::set<Oid> added_, held_back_;
  std::string seen_;
  replication::ReadBy read_by_;
};

}  // namespace walduct::slot
