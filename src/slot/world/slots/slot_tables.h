// SlotTables: which of the captured tables a slot reads, where a connector has several.
#pragma once

#include <cstddef>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "postgres/connection.h"
#include "postgres/describe/catalog.h"
#include "replication/publication/publication_sql.h"
#include "replication/slots/slot_publications.h"

namespace walduct::names {
struct TableFilterOptions;
}

namespace walduct::slot {

struct SlotTables {
  std::vector<postgres::TableName> own;
  size_t elsewhere = 0;  // those of the other slots
};

// References are borrowed.
struct SlotTablesQuery {
  postgres::Connection& connection;
  postgres::Catalog& catalog;
  const replication::SlotShare& share;
  const names::TableFilterOptions& tables;
  replication::PublicationForm form = {};
};

// Looks; the filter's share is told which tables are others'.
absl::StatusOr<SlotTables> FindSlotTables(const SlotTablesQuery& query);

// Makes the publications of all slots. What it has put into that of this slot. Unavailable
// tables_changed: the slot's own are not those any more that were found.
absl::StatusOr<std::vector<replication::PublishedTable>> EnsureSlotTables(
    const SlotTablesQuery& query, const std::vector<postgres::TableName>& found);

}  // namespace walduct::slot
