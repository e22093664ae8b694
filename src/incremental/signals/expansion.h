// Which tables the collections of a signal name. Pure.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "incremental/signals/signal.h"
#include "incremental/signals/table_name.h"

namespace walduct::incremental {

// Each collection is a regular expression that must match the whole `schema.table` of a captured
// table, else a name. Each table once, in the order of the list. What is neither is left out,
// with a warning.
std::vector<TableId> ExpandCollections(const std::vector<std::string>& collections,
                                       const std::vector<TableId>& captured);

// The first condition whose expression matches the table's name, as it is listed or as the signal
// spells it; in parentheses, as Debezium stores it.
std::optional<std::string> ConditionOf(const ExecuteSnapshot& execute, const TableId& table);

// The same as the signal has it: a whole statement, for a blocking snapshot. Empty: none.
std::string StatementOf(const ExecuteSnapshot& execute, const TableId& table);

// The collections of conditions that are for none of the tables.
std::vector<std::string> UnusedConditions(const ExecuteSnapshot& execute,
                                          const std::vector<TableId>& tables);

}  // namespace walduct::incremental
