// AnnouncedRelations: which Relation message of a relation is the newest, in the order in which the
// server sent them.
//
// A Relation message within a transaction in progress is handed over at that transaction's commit,
// and what the server has said of the relation since then would be forgotten by it: the server
// counts on that. It happens with changes that take no lock on the table, such as a new column list
// in the publication or a new name of the schema. What was superseded is therefore said again
// behind the commit. Data thread only.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"

namespace walduct::slot {

class AnnouncedRelations {
 public:
  // The place of a message that was sent just now and is handed over later.
  uint64_t NextPlace() { return ++last_place_; }
  // Handed over at once, while transactions are in progress. Messages are without a stream's xid.
  void OnSent(absl::string_view message) { Remember(++last_place_, message); }
  // Handed over now; it was sent at place.
  void OnReplayed(uint64_t place, absl::string_view message);
  // What must be handed over again, now that the transaction is.
  std::vector<std::string> TakeSuperseded();
  // No transaction is in progress.
  void Forget();

 private:
  struct Newest {
    uint64_t place = 0;
    std::string message;
  };
  void Remember(uint64_t place, absl::string_view message);

  uint64_t last_place_ = 0;
  absl::flat_hash_map<uint32_t, Newest> newest_;  // by OID
  absl::flat_hash_set<uint32_t> superseded_;
};

}  // namespace walduct::slot
