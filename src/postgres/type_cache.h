// TypeCache: event::Type by OID, with what it is built from (element of an array, base of a domain,
// labels of an enum). One query per call, whatever the number of types.
//
// Thread-safety: none.
#pragma once

#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "base/lsn.h"
#include "event/type.h"
#include "postgres/connection.h"

namespace walduct::postgres {

class TypeCache {
 public:
  // connection is borrowed.
  explicit TypeCache(Connection& connection) : connection_(connection) {}

  // Reads the types that are not cached, and again those that users can alter. OIDs that the
  // catalog does not know are left out without an error. The cache is dropped when it has grown
  // past kMaxTypes.
  absl::Status Load(const std::vector<Oid>& oids);

  // Null when Load has not found it.
  std::shared_ptr<const event::Type> Find(Oid oid) const;

 private:
  static constexpr size_t kMaxTypes = 10000;

  Connection& connection_;
  absl::flat_hash_map<Oid, std::shared_ptr<const event::Type>> types_;
};

}  // namespace walduct::postgres
