// RememberedTypes: what a connector remembers of the types of users, as it goes with each stored
// position, so that the next process knows what rows mean whose types were dropped meanwhile.
//
// walduct_types is a text with JSON, since Connect takes only primitives in an offset:
//   {"types":[[oid,"schema","name","kind",…]],
//    "tables":[[oid,gone,[["column",type,flags,"default"]]]]}
// kind is pg_type.typtype, or "a" for an array; what follows it, by kind: labels; base, typmod and
// NOT NULL of a domain; element; last the LSN from which on no table has it (0: one has). A type
// comes behind those that it is made of. flags: 1 may be NULL, 2 identity, 4 generated.
//
// Longer than kLongest it leaves out tables, then the types with the lowest OIDs, which are the
// oldest: rows of such a type that is dropped before they are read are then written by its name.
// Data thread only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "offset/stored_offset.h"
#include "postgres/describe/schema_memory.h"

namespace walduct::slot {

class RememberedTypes {
 public:
  // It goes with each position that is stored, several times a second under load.
  static constexpr size_t kLongest = size_t{16} << 10;

  // memory is borrowed; null: nothing is remembered.
  explicit RememberedTypes(postgres::SchemaMemory* memory) : memory_(memory) {}

  // What goes with the stored position, if that is of this server or is gone on from: OIDs are a
  // server's own.
  void Restore(const std::optional<offset::StoredOffset>& stored, absl::string_view system,
               bool resumes);
  // The member of a stored position, as JSON. One that is damaged is told, and is as none.
  void Restore(const std::string& member);
  // The member, as JSON; empty: there is nothing to remember.
  const std::string& Member();

 private:
  postgres::SchemaMemory* const memory_;
  std::optional<uint64_t> of_;  // SchemaMemory::changes of what follows
  std::string member_;
};

// All that several slots remember, as one member; empty: none does.
std::string MergeTypes(const std::vector<std::string>& members);

}  // namespace walduct::slot
