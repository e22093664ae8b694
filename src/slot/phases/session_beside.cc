// Of Session: what is found beside its stream, or read while that stands still.
#include "base/status_macros.h"
#include "slot/phases/blocking_phase.h"
#include "slot/phases/session.h"
#include "slot/phases/stale_names.h"
#include "slot/phases/stream_phase.h"

namespace walduct::slot {

// The stream stands still while a blocking snapshot is read.
absl::Status Session::RunAndBlock(StreamPhase* phase) {
  while (true) {
    RETURN_IF_ERROR(phase->Run());
    if (!phase->blocked()) return absl::OkStatus();
    BlockingPhase blocking({.source = prepared_.source.get(),
                            .snapshots = &incremental_->snapshots(),
                            .housekeeping = &duties_->housekeeping(),
                            .pipeline = &path_->pipeline(),
                            .notifier = notifier_.get(),
                            .clock = &parts_.world->clock()});
    parts_.board->Show(engine::Activity::kSnapshotting);
    parts_.control->HoldPauses(true);
    const absl::Status read = blocking.Run();
    AllowPauses();
    RETURN_IF_ERROR(read);
    parts_.board->Show(engine::Activity::kStreaming);
  }
}

// What was read is stored with a position that need not have moved since.
absl::Status Session::Read() {
  parts_.board->Show(engine::Activity::kSnapshotting);
  parts_.control->HoldPauses(true);
  bool done = false;
  absl::Status read = Drain();
  // The stream is left alone on purpose.
  duties_->housekeeping().SetWatches(nullptr, &path_->refused());
  if (read.ok() && !parts_.control->interrupted())
    read = parts_.reading->Read(&path_->pipeline(), &duties_->housekeeping(), &done);
  WatchStalls();
  if (read.ok() && done) read = Drain();
  AllowPauses();
  RETURN_IF_ERROR(read);
  if (done) parts_.reading->OnDelivered();
  goal_reached_ = done;
  duties_->tracker().SetMark(ledger_.Append(Ledger::Author::kReadRecord, nullptr));
  path_->pipeline().CoverAgain();
  return absl::OkStatus();
}

// What has been found beside the stream: what records say of the slot, what is captured by now.
std::function<absl::Status()> Session::LookBeside(const pgoutput::Assembler* assembler, bool xmin) {
  return [this, assembler, names = StaleNames(), xmin, source = prepared_.source.get()]() mutable {
    if (xmin) path_->encoder().SetXmin(source->Xmin());
    if (new_tables_ == nullptr) return absl::OkStatus();
    if (const std::optional<CapturedNow> now = source->TakeCaptured()) {
      new_tables_->Saw(now->tables, now->coverage, now->left_out);
      source->JudgedCaptured();
      names.Saw(*now);
      if (names.waits()) duties_->housekeeping().AskForReply();
    }
    return names.Check(*assembler);
  };
}

}  // namespace walduct::slot
