// Entries of the include lists that match no table of the database: misspelt, or of tables that are
// still to come. Pure.
#pragma once

#include <optional>
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

// What an entry may mean before any other table, as "schema.table".
struct LikelyTables {
  std::vector<std::string> came = {};  // tables that are gone, of which there is another finding
  std::vector<std::string> left = {};  // they were captured, and the lists leave them out
  // The publication names them; absent: it names what the lists admit, or all, or is not known.
  std::optional<std::vector<std::string>> published = {};
};
LikelyTables LikelyOf(const CaptureFacts& facts, const CaptureWish& wish,
                      const CaptureMemory& memory);

// tables: all of the database. An entry that matches none may mean one like it among those that are
// likely. Where none is, they are told, and a list with one of them is to be typed only where it
// was captured before. A pattern, and where tables may come later any entry, is only worth knowing.
std::vector<CaptureFinding> FindIdleEntries(const names::TableFilterOptions& lists,
                                            const std::vector<SchemaTable>& tables,
                                            const LikelyTables& likely, bool may_come);
// The same of a connector that runs.
std::vector<CaptureFinding> FindIdleEntries(const CaptureFacts& facts, const CaptureWish& wish,
                                            const CaptureMemory& memory);

}  // namespace walduct::replication
