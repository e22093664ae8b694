// Tables whose rows can share the key of their records: without a primary key a unique index stands
// in for it, as in Debezium, also one that leaves rows out. Reads catalogs only.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/lsn.h"
#include "postgres/connection.h"

namespace walduct::postgres {

struct SharedKey {
  Oid relation{};
  std::string schema;
  std::string table;
  // "unique index live (its WHERE leaves rows out)"; of an index that is not valid, and so no key,
  // its name.
  std::string risk;
  bool is_key = true;
  std::string better;  // columns of a unique index that covers all rows, with commas; empty: none
};

// Of these tables, by name.
absl::StatusOr<std::vector<SharedKey>> FindSharedKeys(Connection& connection,
                                                      const std::vector<Oid>& relations);

}  // namespace walduct::postgres
