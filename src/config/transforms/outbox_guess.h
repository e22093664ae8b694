// What a forgiving start reads out of configurations of the EventRouter that Debezium refuses or
// trips over. Every guess says what it is in words and which line to write instead; with
// walduct.strict=true a guess is an error with the same line. Pure functions; thread-safe.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "config/properties/findings.h"

namespace walduct::config {

struct Guess {
  std::string text;  // "column 'aggregateid' does not exist; 'aggregate_id' is taken for the key"
  std::string line;  // "transforms.outbox.table.field.event.key=aggregate_id"
};

// A warning, or with walduct.strict an error, with the line to write instead.
void ReportGuess(const Guess& guess, bool strict, Findings* findings);

// InvalidArgument outbox_strict with every guess and its line; guesses must not be empty.
absl::Status RefuseGuesses(absl::string_view what, const std::vector<Guess>& guesses);

enum class Placement { kHeader, kEnvelope, kPartition };

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
// by commas. Also takes headers:column[:alias],column[:alias],… , which is meant to place all of
// them in headers. InvalidArgument outbox_placement names the item.
absl::StatusOr<PlacedColumns> ParsePlacements(absl::string_view list, absl::string_view alias);

// A topic.prefix from the connector's name, for when none is given. Only where every record is
// routed to a topic of its own: the prefix then names no topic but those of heartbeats and
// transactions.
Guess DeriveTopicPrefix(absl::string_view connector_name, std::string* prefix);

}  // namespace walduct::config
