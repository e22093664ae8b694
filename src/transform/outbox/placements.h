// Columns that the EventRouter places beside the payload: table.fields.additional.placement, as
// Debezium reads it and as it is often meant. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "transform/options/guess.h"

namespace walduct::transform {

enum class Placement { kHeader, kEnvelope, kPartition, kMembers };

struct PlacedColumn {
  std::string column;
  Placement placement = Placement::kHeader;
  std::string alias;  // the name in the record; the column's when none is given

  friend bool operator==(const PlacedColumn&, const PlacedColumn&) = default;
};

struct PlacedColumns {
  std::vector<PlacedColumn> columns;
  std::optional<Guess> guess;
};

// table.fields.additional.placement of the transform `alias`: column:placement[:alias], separated
// by commas. Beside Debezium's placements there is column:headers: each member of the JSON object
// in it is a header. Also takes headers:column[:alias],column[:alias],… , which is meant to place
// all of them in headers. InvalidArgument outbox_placement names the item.
absl::StatusOr<PlacedColumns> ParsePlacements(absl::string_view list, absl::string_view alias);

}  // namespace walduct::transform
