// How a snapshot that was cut short goes on: what it has read is left out of its plan. Pure.
#pragma once

#include <vector>

#include "postgres/describe/catalog.h"
#include "snapshot/plan.h"
#include "snapshot/read_record.h"

namespace walduct::snapshot {

// Those of which a part is read. They have to be locked before they are planned: their blocks must
// stay where they are from then on.
std::vector<postgres::TableName> PartlyRead(const std::vector<postgres::TableName>& tables,
                                            const ReadRecord& record);

// Leaves out the tables that are read, which is logged, and gives each other one what is read of
// it; one that is in other files by now is forgotten.
void TakeUp(ReadRecord& record, std::vector<PlannedTable>* plan);

}  // namespace walduct::snapshot
