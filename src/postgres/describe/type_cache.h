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
  // Those that are not cached, and those that users can alter: to be read before they are looked
  // up. The cache is dropped when it has grown past kMaxTypes.
  std::vector<Oid> Missing(const std::vector<Oid>& oids);
  // Their statement, and its result. OIDs that the catalog does not know are left out.
  static Statement Question(const std::vector<Oid>& oids);
  void Add(const Result& result);
  // All of that, waited for.
  absl::Status Load(Connection& connection, const std::vector<Oid>& oids);

  // Null when it was not found.
  std::shared_ptr<const event::Type> Find(Oid oid) const;

 private:
  static constexpr size_t kMaxTypes = 10000;

  absl::flat_hash_map<Oid, std::shared_ptr<const event::Type>> types_;
};

}  // namespace walduct::postgres
