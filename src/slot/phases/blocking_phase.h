// BlockingPhase: reads the tables of blocking snapshots while the stream stands still between two
// transactions, its keepalives answered. One that is interrupted, or whose session breaks, waits in
// the stored state and is read from the beginning. Data thread only.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "delivery/pipeline/pipeline.h"
#include "incremental/incremental_snapshots.h"
#include "slot/duties/housekeeping.h"
#include "slot/incremental/notifier.h"
#include "slot/world/source.h"

namespace walduct::slot {

class BlockingPhase {
 public:
  // All borrowed.
  struct Parts {
    Source* source = nullptr;
    incremental::IncrementalSnapshots* snapshots = nullptr;
    Housekeeping* housekeeping = nullptr;
    delivery::Pipeline* pipeline = nullptr;
    Notifier* notifier = nullptr;
    Clock* clock = nullptr;
  };
  explicit BlockingPhase(Parts parts) : parts_(parts) {}

  // OK: all that were asked for are over, or it was interrupted.
  absl::Status Run();

 private:
  absl::Status RunOne(const incremental::BlockingSnapshot& asked);
  absl::StatusOr<Source::Blocking> Open(const incremental::BlockingSnapshot& asked);
  absl::Status Read(TableSnapshot* tables);
  absl::Status Refuse(const std::string& table, const absl::Status& why);

  const Parts parts_;
};

}  // namespace walduct::slot
