// Entries of the include lists that match no table of the database: misspelt, or of tables that are
// still to come. Pure.
#pragma once

#include <string>
#include <vector>

#include "replication/capture/capture_judge.h"

namespace walduct::names {
struct TableFilterOptions;
}

namespace walduct::replication {

struct SchemaTable {
  std::string schema, table;
};

// table.include.list, where no other list is given; else empty.
std::string OnlyIncludeList(const names::TableFilterOptions& lists);

// tables: all of the database. came: names, "schema.table", of tables that are gone, of which there
// is another finding. A pattern, and where tables may come later any entry, is only worth knowing.
std::vector<CaptureFinding> FindIdleEntries(const names::TableFilterOptions& lists,
                                            const std::vector<SchemaTable>& tables,
                                            const std::vector<std::string>& came, bool may_come);

}  // namespace walduct::replication
