// What the catalog says of a connector whose tables are spread over several slots. Looks only.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "postgres/connection.h"
#include "postgres/describe/catalog.h"
#include "replication/publication/publication_sql.h"
#include "replication/slot_share.h"
#include "replication/slots/distribution.h"

namespace walduct::replication {

// As the catalog has it; absent: to be created.
struct SlotPublication {
  std::string name;
  std::optional<PublicationState> state;
};

// Unimplemented slots_unsupported: an old server.
absl::Status CheckServerKnowsSlots(const postgres::Connection& connection);

// Of all that the share names. FailedPrecondition: one is not of tables that are named.
absl::StatusOr<std::vector<SlotPublication>> ReadSlotPublications(postgres::Connection& connection,
                                                                  const SlotShare& share);

// Which of them name a relation.
NamedIn NamesOf(const std::vector<SlotPublication>& all);

absl::StatusOr<std::vector<TableOfSlots>> WithParents(
    postgres::Connection& connection, const std::vector<postgres::TableName>& captured);

}  // namespace walduct::replication
