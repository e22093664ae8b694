#include "replication/capture/capture_map.h"

#include "postgres/table_key.h"

namespace walduct::replication {
namespace {

// A chain of parents that the catalog shows while it changes might never end.
constexpr size_t kDeepest = 64;

}  // namespace

bool Weaker(const TableFacts& a, const TableFacts& b) {
  return a.identity != b.identity ? a.identity < b.identity : a.has_key && !b.has_key;
}

std::string NameOf(const TableFacts& table) {
  return postgres::TableKey(table.schema, table.table);
}

bool Names(const PublicationFacts& publication, const TableFacts& table) {
  return publication.members.contains(table.relation) || publication.schemas.contains(table.schema);
}

CaptureMap::CaptureMap(const CaptureFacts& facts) : facts_(facts) {
  for (const TableFacts& table : facts_.tables) {
    by_oid_.emplace(table.relation, &table);
    by_name_.emplace(NameOf(table), &table);
    if (table.parent != Oid{0}) partitions_.emplace(table.parent, &table);
  }
}

const TableFacts* CaptureMap::Find(Oid relation) const {
  const auto found = by_oid_.find(relation);
  return found == by_oid_.end() ? nullptr : found->second;
}

const TableFacts* CaptureMap::Find(const std::string& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

std::vector<const TableFacts*> CaptureMap::Ancestors(const TableFacts& table) const {
  std::vector<const TableFacts*> ancestors;
  for (const TableFacts* at = Find(table.parent); at != nullptr && ancestors.size() < kDeepest;
       at = Find(at->parent))
    ancestors.push_back(at);
  return ancestors;
}

std::vector<const TableFacts*> CaptureMap::Leaves(const TableFacts& table) const {
  if (!table.partitioned) return {&table};
  std::vector<const TableFacts*> leaves, open = {&table};
  while (!open.empty() && leaves.size() <= facts_.tables.size()) {
    const TableFacts* const next = open.back();
    open.pop_back();
    if (!next->partitioned) leaves.push_back(next);
    const auto [begin, end] = partitions_.equal_range(next->relation);
    for (auto at = begin; at != end; ++at) open.push_back(at->second);
  }
  return leaves;
}

const TableFacts* CaptureMap::SentAs(const TableFacts& leaf,
                                     const PublicationFacts& publication) const {
  if (!publication.exists || leaf.unlogged || leaf.partitioned) return nullptr;
  bool sent = publication.all_tables || Names(publication, leaf);
  const TableFacts* as = &leaf;
  for (const TableFacts* const ancestor : Ancestors(leaf)) {
    if (!publication.all_tables && !Names(publication, *ancestor)) continue;
    sent = true;
    if (publication.via_root) as = ancestor;
  }
  return sent ? as : nullptr;
}

}  // namespace walduct::replication
