// Which columns of a table its records are made of. Pure; thread-safe.
#pragma once

#include <optional>

#include "event/wanted_columns.h"
#include "route/message_keys.h"

namespace walduct::encode {
struct ColumnOptions;
}

namespace walduct::slot {

// The columns of a record's key, in its order, as the router chooses them.
event::WantedColumns KeyColumns(const std::optional<route::MessageKeys>& keys);

// What column.include.list and column.exclude.list let through, and the key. Ascending.
event::WantedColumns RecordColumns(const encode::ColumnOptions& columns,
                                   const std::optional<route::MessageKeys>& keys);

}  // namespace walduct::slot
