// Which columns of a table its records are made of. Pure; thread-safe.
#pragma once

#include "event/wanted_columns.h"

namespace walduct::encode {
struct EncodeOptions;
}
namespace walduct::route {
struct RouteOptions;
}

namespace walduct::engine {

// The columns of a record's key, in its order, as the router chooses them.
event::WantedColumns KeyColumns(const route::RouteOptions& route);

// What column.include.list and column.exclude.list let through, and the key. Ascending.
event::WantedColumns RecordColumns(const encode::EncodeOptions& records,
                                   const route::RouteOptions& route);

}  // namespace walduct::engine
