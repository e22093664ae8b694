// Hypertable: whose rows a chunk of TimescaleDB's holds. Immutable.
#pragma once

#include <memory>
#include <string>

namespace walduct::event {

struct Hypertable {
  std::string schema, table;
  // The continuous aggregate that it is the store of; empty: of none.
  std::string aggregate_schema = {}, aggregate = {};

  bool operator==(const Hypertable&) const = default;
};

// Null: of a table that is no chunk.
using HypertablePtr = std::shared_ptr<const Hypertable>;

}  // namespace walduct::event
