#include "slot/world/slots/slot_tables.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/status_macros.h"
#include "names/table_filter.h"
#include "names/table_share.h"

namespace walduct::slot {
namespace {

// By any of the slots.
absl::StatusOr<std::vector<postgres::TableName>> FindAll(const SlotTablesQuery& query) {
  names::TableFilterOptions whole = query.tables;
  whole.share = nullptr;
  return query.catalog.CapturedTables(names::TableFilter(std::move(whole)));
}

bool SameRelations(const std::vector<postgres::TableName>& a,
                   const std::vector<postgres::TableName>& b) {
  const auto same = [](const postgres::TableName& one, const postgres::TableName& other) {
    return one.relation == other.relation;
  };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same);
}

}  // namespace

absl::StatusOr<SlotTables> FindSlotTables(const SlotTablesQuery& query) {
  ASSIGN_OR_RETURN(std::vector<postgres::TableName> all, FindAll(query));
  SlotTables found;
  if (!query.share.several() || query.share.hands_over) {
    found.own = std::move(all);
    return found;
  }
  ASSIGN_OR_RETURN(const std::vector<int> slots,
                   replication::SlotsOfTables(query.connection, query.share, all));
  std::set<Oid> others;
  for (size_t i = 0; i < all.size(); ++i) {
    if (slots[i] == query.share.number)
      found.own.push_back(std::move(all[i]));
    else
      others.insert(all[i].relation);
  }
  found.elsewhere = others.size();
  if (query.tables.share != nullptr) query.tables.share->SetOthers(std::move(others));
  return found;
}

absl::StatusOr<std::vector<replication::PublishedTable>> EnsureSlotTables(
    const SlotTablesQuery& query, const std::vector<postgres::TableName>& found) {
  ASSIGN_OR_RETURN(const std::vector<postgres::TableName> all, FindAll(query));
  ASSIGN_OR_RETURN(
      std::vector<replication::PublishedTable> added,
      replication::EnsureSlotPublications(query.connection, query.share, query.form, all));
  ASSIGN_OR_RETURN(const SlotTables now, FindSlotTables(query));
  if (SameRelations(now.own, found)) return added;
  return Error(absl::StatusCode::kUnavailable, "tables_changed",
               "tables were created, renamed or dropped while the publications of the slots were "
               "made",
               "nothing to do: the next attempt looks again");
}

}  // namespace walduct::slot
