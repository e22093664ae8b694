#include "slot/phases/snapshot_phase.h"

#include "base/status_macros.h"

namespace walduct::slot {
namespace {

constexpr int kMaxRowsPerTurn = 512;
constexpr absl::Duration kIdleWait = absl::Seconds(1);
// Shorter waits are normal network latency.
constexpr absl::Duration kNoticedWait = absl::Seconds(1);

}  // namespace

absl::Status SnapshotPhase::Run() {
  while (!parts_.housekeeping->interrupted() && !done_) {
    RETURN_IF_ERROR(parts_.housekeeping->Turn());
    if (!parts_.housekeeping->MayRead(Waits())) {
      parts_.housekeeping->WaitToRead();
      continue;
    }
    const absl::Status read = ReadBatch();
    if (absl::IsCancelled(read) && parts_.housekeeping->interrupted()) return absl::OkStatus();
    RETURN_IF_ERROR(read);
  }
  return absl::OkStatus();
}

absl::Status SnapshotPhase::ReadBatch() {
  ASSIGN_OR_RETURN(const auto progress, parts_.reader->Step(*parts_.pipeline, kMaxRowsPerTurn));
  if (parts_.after_rows) parts_.after_rows();
  parts_.pipeline->CountFiltered();
  parts_.pipeline->ReportNotices();
  done_ = progress == snapshot::RowSource::Progress::kDone;
  using Progress = snapshot::RowSource::Progress;
  const bool waits = progress == Progress::kWouldBlock || progress == Progress::kPutOff;
  if (!waits) waits_since_.reset();
  if (waits && !waits_since_) waits_since_ = parts_.clock->Monotonic();
  // What was put off is asked for anew at once, and is waited for all the same.
  if (progress != Progress::kWouldBlock) return absl::OkStatus();
  parts_.housekeeping->Wait(parts_.reader->ready_fd(), kIdleWait);
  return absl::OkStatus();
}

// For a lock, or for a server that has much to do before it has a row.
engine::WaitReason SnapshotPhase::Waits() const {
  const bool noticed = waits_since_ && parts_.clock->Monotonic() - *waits_since_ >= kNoticedWait;
  return noticed ? engine::WaitReason::kDatabase : engine::WaitReason::kNothing;
}

}  // namespace walduct::slot
