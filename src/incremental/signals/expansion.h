// Which tables the collections of a signal name. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "incremental/signals/table_name.h"

namespace walduct::incremental {

// Each collection is a regular expression that must match the whole `schema.table` of a captured
// table, else a name. Each table once, in the order of the list. What is neither is left out,
// with a warning.
std::vector<TableId> ExpandCollections(const std::vector<std::string>& collections,
                                       const std::vector<TableId>& captured);

// The condition for the table, whose name is matched without case; in parentheses, as Debezium
// stores it.
std::optional<std::string> ConditionOf(const std::map<std::string, std::string>& conditions,
                                       const TableId& table);

}  // namespace walduct::incremental
