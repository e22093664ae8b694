// Distribution: which of a connector's slots reads a table. Pure.
//
// The publications of the slots are what is remembered: a table that one of them names stays there,
// by its OID, whatever its name, the pins or the hash say now. A partition that none names goes
// with the nearest of its parents that one does. The rest is new: a pin decides, else a hash of the
// name of the topmost parent, so that all partitions of a table come to one slot.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/lsn.h"
#include "replication/slot_share.h"

namespace walduct::replication {

struct TableOfSlots {
  Oid relation{};
  std::string name;          // "schema.table"
  std::vector<Oid> parents;  // as a partition, nearest first
  std::string root_name;     // of the topmost; its own where it has none
};

// Which publications name a relation, by the numbers of their slots.
using NamedIn = std::map<Oid, std::set<int>>;

// Of a table that no publication names; from 1. The same for each server, process and release. With
// one more slot a table stays where it is or comes to the new one.
int SlotOfNewTable(absl::string_view root_name, const SlotShare& share);

// By table. FailedPrecondition table_in_two_publications: two name it.
absl::StatusOr<std::vector<int>> Distribute(const std::vector<TableOfSlots>& tables,
                                            const NamedIn& named, const SlotShare& share);

}  // namespace walduct::replication
