// What the transforms of an outbox will make of the tables that are there, before the first event:
// guesses, columns that are missing, history that a snapshot would publish. Reads the catalog,
// creates nothing.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "engine/errors/warn_once.h"
#include "postgres/connection.h"
#include "postgres/describe/catalog.h"
#include "snapshot/plan.h"

namespace walduct::engine {
struct ConnectorOptions;
}  // namespace walduct::engine

namespace walduct::slot {

struct ChainPreview {
  std::vector<std::string> event_tables;  // "schema.table" whose rows become events
  std::vector<std::string> notices;       // of transforms: guesses
  std::vector<std::string> lists;         // Find{List,Column}Problems; of PreviewOnServer
  std::vector<std::string> lists_noted;   // the same, only worth knowing
  std::vector<std::string> problems;      // a sentence per table whose rows no transform can take
};

// Empty without an EventRouter. InvalidArgument outbox_strict: walduct.strict=true and something
// would be guessed. FailedPrecondition outbox_not_routed: housekeeping is to delete rows that
// cannot become events.
absl::StatusOr<ChainPreview> PreviewChain(const engine::ConnectorOptions& config,
                                          postgres::Connection& connection,
                                          postgres::Catalog& catalog,
                                          const std::vector<postgres::TableName>& captured);

// The same on a session of its own, for `validate`. Errors also those of the connection.
absl::StatusOr<ChainPreview> PreviewOnServer(const engine::ConnectorOptions& config,
                                             const Environment& environment);

// Warns of rows that a snapshot publishes as events though they may have been published before.
// event_tables: as ChainPreview has them.
absl::Status WarnOfHistory(postgres::Connection& connection,
                           const std::vector<snapshot::PlannedTable>& plan,
                           const std::vector<std::string>& event_tables,
                           engine::WarnOnce* warn_once);

}  // namespace walduct::slot
