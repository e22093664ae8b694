// TablePosition: how far an outbox table is published of which no row is marked: by a snapshot.
// What became visible after it is new, in whichever order ids and transaction ids were given. A
// window of that which is too long for one batch is left by its snapshot and an id. Pure.
#pragma once

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace walduct::poll {

// Of no transaction is anything visible.
inline constexpr char kNothingSeen[] = "1:1:";

struct TablePosition {
  std::string seen = kNothingSeen;  // all that is visible in it is published
  std::string window = {};          // what is visible in it is being published; empty: nothing is
  std::string last = {};            // of the window: the id of the last row behind

  friend bool operator==(const TablePosition&, const TablePosition&) = default;
};
using TablePositions = std::map<std::string, TablePosition>;  // by the name of the table

// As a member of a stored offset: a JSON string that holds JSON.
std::string EncodePositions(const TablePositions& positions);
// DataLoss outbox_position_malformed.
absl::StatusOr<TablePositions> DecodePositions(absl::string_view member);

// Under the exported snapshot of a slot PostgreSQL prints one that it does not read back: its xmax
// can lie before its xmin.
std::string ReadableSnapshot(absl::string_view text);

// xmax of a snapshot; 0: it is none.
uint64_t EndOf(absl::string_view snapshot);

}  // namespace walduct::poll
