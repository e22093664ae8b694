// SnapshotPhase: reads the planned tables through the pipeline until the last row is with the sink.
// Data thread only.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "delivery/pipeline/pipeline.h"
#include "slot/duties/housekeeping.h"
#include "snapshot/row_source.h"

namespace walduct::slot {

class SnapshotPhase {
 public:
  // All borrowed.
  struct Parts {
    snapshot::RowSource* reader = nullptr;
    Housekeeping* housekeeping = nullptr;
    delivery::Pipeline* pipeline = nullptr;
    Clock* clock = nullptr;
    std::function<void()> after_rows = nullptr;  // once those that were read are in the pipeline
  };
  explicit SnapshotPhase(Parts parts) : parts_(std::move(parts)) {}

  // OK: all rows are with the sink, or it was interrupted.
  absl::Status Run();
  bool done() const { return done_; }

 private:
  absl::Status ReadBatch();
  engine::WaitReason Waits() const;

  Parts parts_;
  std::optional<absl::Duration> waits_since_;  // no row has come
  bool done_ = false;
};

}  // namespace walduct::slot
