// The publications of a connector whose tables are spread over several slots: one for each slot, of
// the tables that are its own. All are made and altered in one transaction, by whichever slot's
// start comes first, so that no table is ever between two of them. See distribution.h.
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

namespace walduct::replication {

// What all of them are like; as of ReplicationOptions.
struct PublicationForm {
  bool via_partition_root = false;
  std::optional<std::string> operations;
};

// The number of the slot that reads each of them, from 1. Looks only. captured: by all slots.
// FailedPrecondition: a publication is not one of tables that are named.
absl::StatusOr<std::vector<int>> SlotsOfTables(postgres::Connection& connection,
                                               const SlotShare& share,
                                               const std::vector<postgres::TableName>& captured);

// Makes the publications of all slots as these tables are distributed. What it has put into the
// publication of this slot, and errors, as of EnsurePublication.
absl::StatusOr<std::vector<PublishedTable>> EnsureSlotPublications(
    postgres::Connection& connection, const SlotShare& share, const PublicationForm& form,
    const std::vector<postgres::TableName>& captured);

}  // namespace walduct::replication
