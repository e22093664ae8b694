// What `walduct outbox clean` does: one round of housekeeping from outside, while the connector
// runs elsewhere. Blocking; for the command line.
#pragma once

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/environment.h"
#include "outbox/cleaner.h"

namespace walduct::engine {
struct ConnectorOptions;
}  // namespace walduct::engine

namespace walduct::operate {

struct CleanRequest {
  bool dry_run = false;
  absl::Duration wait;  // for the stored position to pass what is committed now
  Environment environment;
};

// Removes, or with dry_run counts, what housekeeping of these options may remove now. Needs the
// offset store, where the running connector says what Kafka has acknowledged.
//   InvalidArgument     outbox_no_tables: walduct.outbox.tables is not set; outbox_not_published:
//                       skipped.operations leaves inserts out
//   FailedPrecondition  system_mismatch, position_ahead: the stored position belongs to another
//                       server, or to a history that the server no longer has; slot_lost: the
//                       connector's slot is missing or without its WAL; and Cleaner's reasons
//   Cancelled           outbox_not_acknowledged: the position did not get there in time: nothing
//                       was removed
absl::StatusOr<outbox::Removed> CleanOutboxOnce(const engine::ConnectorOptions& options,
                                                const CleanRequest& request);

}  // namespace walduct::operate
