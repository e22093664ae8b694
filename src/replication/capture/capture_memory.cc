// RememberCapture, declared in capture_judge.h.
#include <algorithm>
#include <map>
#include <string>

#include "replication/capture/capture_judge.h"
#include "replication/capture/capture_map.h"
#include "replication/slot_share.h"

namespace walduct::replication {

void RememberCapture(const CaptureFacts& facts, const CaptureWish& wish,
                     const CaptureVerdict& verdict, CaptureMemory* memory) {
  const PublicationFacts& own =
      facts.publications[static_cast<size_t>(wish.share->several() ? wish.share->number - 1 : 0)];
  if (!own.exists) return;
  const bool at_start = !memory->begun;
  if (at_start) {
    memory->begun = true;
    memory->inserts = own.inserts;
    memory->updates = own.updates;
    memory->deletes = own.deletes;
    memory->truncates = own.truncates;
  }
  memory->inserts |= own.inserts;
  memory->updates |= own.updates;
  memory->deletes |= own.deletes;
  memory->truncates |= own.truncates;
  memory->generated |= own.generated;
  memory->publication = own.oid;
  // It sends all that is wanted: its name is meant, whatever was read by before.
  if (verdict.findings.empty()) memory->read_by = own.oid;
  memory->all_tables = own.all_tables;
  memory->via_root = own.via_root;
  const CaptureMap map(facts);
  std::map<std::string, bool> fresh;  // names that were not known, until now
  for (const auto& [leaf_oid, as_oid] : verdict.captured) {
    const TableFacts* const leaf = map.Find(leaf_oid);
    const TableFacts* const as = map.Find(as_oid);
    if (leaf == nullptr || as == nullptr) continue;
    const auto member = own.members.find(as_oid);
    if (const auto bare = memory->tables.find(NameOf(*as));
        bare != memory->tables.end() && bare->second.bare)
      memory->tables.erase(bare);
    const auto [known, is_new] = memory->tables.try_emplace(
        NameOf(*as), CaptureMemory::Table{
                         .relation = as_oid,
                         .identity = leaf->identity,
                         .filter = member == own.members.end() ? "" : member->second.filter,
                         .all_columns = member == own.members.end() || member->second.all_columns,
                         .refuses = own.refusals.contains(leaf_oid),
                         .from_start = at_start,
                         .partition = !map.Ancestors(*as).empty()});
    if (is_new) {
      fresh[known->first] = true;
    } else if (fresh.contains(known->first)) {
      known->second.identity = std::min(known->second.identity, leaf->identity);
      known->second.refuses = known->second.refuses || own.refusals.contains(leaf_oid);
    }
    known->second.relation = as_oid;
  }
}

}  // namespace walduct::replication
