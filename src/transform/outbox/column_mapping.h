// Which column of an outbox table plays which part for the EventRouter. An option that is given
// always wins. Where an option is left at its default and the table has no such column, the one
// column of the table that is known by another name for that part is taken. Of several it is the
// one of the default's own name with an underscore, aggregate_type beside event_type; else, and
// where there is none, it is an error. Every guess is told. Pure; thread-safe.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "transform/options/guess.h"

namespace walduct::transform {

// An option that names a column.
struct ColumnOption {
  std::string column;
  bool given = false;  // in the configuration, rather than the default
};

struct OutboxColumnOptions {
  ColumnOption id{"id"};
  ColumnOption key{"aggregateid"};
  ColumnOption route{"aggregatetype"};
  ColumnOption payload{"payload"};
};

struct OutboxColumns {
  std::string id, key, route, payload;
  std::vector<Guess> guesses;
};

struct MappingRequest {
  OutboxColumnOptions options;
  std::string table;                      // "public.outbox", for messages
  std::string transform;                  // its alias, for the lines to write
  absl::Span<const std::string> columns;  // of the table
  bool strict = false;                    // walduct.strict
  bool listed = false;                    // the table is in walduct.outbox.tables
};

// InvalidArgument, all parts in one message:
//   outbox_columns  a column does not exist and cannot be guessed; names what the table has
//   outbox_strict   a guess would be needed (strict only), with the lines to write
absl::StatusOr<OutboxColumns> MapOutboxColumns(const MappingRequest& request);

}  // namespace walduct::transform
