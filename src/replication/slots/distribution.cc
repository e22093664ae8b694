#include "replication/slots/distribution.h"

#include <cstdint>

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "base/status_macros.h"
#include "java/regex/regex_list.h"
#include "postgres/connection.h"

namespace walduct::replication {
namespace {

// FNV-1a over the name, then the mixing of splitmix64, whose bits depend on all before them.
uint64_t Hash(absl::string_view text, uint64_t seed) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  hash += (seed + 1) * 0x9e3779b97f4a7c15;
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
  return hash ^ (hash >> 31);
}

absl::StatusOr<int> OnlySlot(const TableOfSlots& table, const std::set<int>& slots,
                             const SlotShare& share) {
  if (slots.size() == 1) return *slots.begin();
  const auto publication = [&](int slot) {
    return postgres::QuoteIdentifier(share.publications[static_cast<size_t>(slot) - 1]);
  };
  const int first = *slots.begin(), last = *slots.rbegin();
  return Error(absl::StatusCode::kFailedPrecondition, "table_in_two_publications",
               absl::StrCat("table ", table.name, " is in the publications ", publication(first),
                            " and ", publication(last), ": its changes would be published twice"),
               absl::StrCat("take it from the one it was added to last: ALTER PUBLICATION ",
                            publication(last), " DROP TABLE ", table.name, "; then start again"));
}

absl::StatusOr<int> SlotOf(const TableOfSlots& table, const NamedIn& named,
                           const SlotShare& share) {
  if (const auto found = named.find(table.relation); found != named.end())
    return OnlySlot(table, found->second, share);
  for (const Oid parent : table.parents) {
    if (const auto found = named.find(parent); found != named.end()) return *found->second.begin();
  }
  return SlotOfNewTable(table.root_name, share);
}

}  // namespace

int SlotOfNewTable(absl::string_view root_name, const SlotShare& share) {
  for (const SlotPin& pin : share.pins) {
    if (pin.tables->Matches(root_name)) return pin.slot;
  }
  int best = 1;
  uint64_t highest = 0;
  for (int slot = 1; slot <= share.count; ++slot) {
    const uint64_t hash = Hash(root_name, static_cast<uint64_t>(slot));
    if (slot > 1 && hash <= highest) continue;
    best = slot;
    highest = hash;
  }
  return best;
}

absl::StatusOr<std::vector<int>> Distribute(const std::vector<TableOfSlots>& tables,
                                            const NamedIn& named, const SlotShare& share) {
  std::vector<int> slots;
  slots.reserve(tables.size());
  for (const TableOfSlots& table : tables) {
    ASSIGN_OR_RETURN(const int slot, SlotOf(table, named, share));
    slots.push_back(slot);
  }
  return slots;
}

}  // namespace walduct::replication
