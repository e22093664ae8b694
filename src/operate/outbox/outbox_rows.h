// What `walduct outbox list|show|retry|park|skip` do, here and over REST: rows of polled outbox
// tables that could not be published are shown, tried again, parked or left out for good. The
// connector may run meanwhile, here or elsewhere. Blocks.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "base/environment.h"
#include "operate/outbox/outbox_rows_request.h"

namespace walduct::engine {
struct ConnectorOptions;
}  // namespace walduct::engine

namespace walduct::operate {

// As JSON:
//   {"connector":"shop","did":"list","tables":[{"table":"public.outbox","more":false,"note":"",
//    "rows":[{"row":"7","state":"parked","attempts":10,"error":"…","next_try":null,
//             "written":"2026-11-29T10:00:00.000Z","key":"10","type":"OrderPlaced"}]}]}
// state: parked, waits, open, done. Of kShow also "payload_bytes" and, of later events of its key,
// "held_back" and whether one is published, "overtaken"; null: nobody can tell. Of what changes
// rows each has also "outcome" (retried, parked, skipped; or what it was not done for: locked,
// unknown, published), "done" and "message". A row of others' locks is not waited for.
//
// FailedPrecondition: those of poll::OpenTables. InvalidArgument: the connector does not poll, or
// keeps a position; the table or a row is none that it could be; and
//   outbox_cannot_park  the table has no column that counts attempts; of all: none has
absl::StatusOr<std::string> AskOutboxRows(const engine::ConnectorOptions& options,
                                          const OutboxRowsRequest& request,
                                          const Environment& environment);

}  // namespace walduct::operate
