#include "slot/phases/stream_phase.h"

#include <algorithm>
#include <utility>

#include "base/byte_reader.h"
#include "base/status_macros.h"
#include "slot/phases/reading.h"

namespace walduct::slot {
namespace {

constexpr int kMaxFramesPerTurn = 512;
// Also those that give no record; some may have come after a time was read.
constexpr int kFramesOfOneTime = 64;
// A turn that only fills the spill file is never ended by a full sink, so bound it.
constexpr size_t kMaxKeptPerTurn = 4 << 20;
constexpr absl::Duration kIdleWait = absl::Seconds(1);
constexpr absl::Duration kGoalPoll = absl::Milliseconds(50);
constexpr absl::Duration kHurryInterval = absl::Milliseconds(200);
constexpr char kMessage = 'M', kBegin = 'B';  // first bytes

}  // namespace

absl::Status StreamPhase::Run() {
  blocked_ = false;
  while (!parts_.housekeeping->interrupted() && !goal_reached_) {
    RETURN_IF_ERROR(parts_.housekeeping->Turn());
    if (!parts_.housekeeping->MayRead(held_ ? engine::WaitReason::kCatalog
                                            : engine::WaitReason::kNothing)) {
      parts_.housekeeping->WaitToRead();
      continue;
    }
    if ((blocked_ = IsBlocked())) return absl::OkStatus();
    if (parts_.before_batch) RETURN_IF_ERROR(parts_.before_batch());
    bool empty = false;
    absl::Status read = ReadBatch(&empty);
    if (read.ok()) read = parts_.heartbeat->Turn();
    if (read.ok() && parts_.incremental != nullptr) read = TurnIncremental();
    // An interruption in the middle of a blocked change: that change is not done with and will be
    // read again.
    if (absl::IsCancelled(read) && parts_.housekeeping->interrupted()) return absl::OkStatus();
    RETURN_IF_ERROR(read);
    CountRepeated();
    CheckGoal();
    if (parts_.dropped != nullptr && !parts_.assembler->in_transaction()) parts_.dropped->Turn();
    if (held_) WaitForSchema();
    if (empty && !goal_reached_) RETURN_IF_ERROR(NapOrWait());
  }
  return absl::OkStatus();
}

absl::Status StreamPhase::ReadBatch(bool* empty) {
  parts_.pipeline->BeginBatch();
  absl::Status read = ReadFrames(empty);
  parts_.pipeline->EndBatch();
  parts_.housekeeping->OnBatch(*empty);
  return read;
}

absl::Status StreamPhase::ReadFrames(bool* empty) {
  if (held_) RETURN_IF_ERROR(Assemble(*held_));
  size_t kept_bytes = 0;
  for (int i = 0; i < kMaxFramesPerTurn && !held_ && parts_.sink->HasCapacity() &&
                  !parts_.housekeeping->MustCommit();
       ++i) {
    ASSIGN_OR_RETURN(const replication::WalFrame frame, parts_.source->Next());
    if (i % kFramesOfOneTime == 0) parts_.pipeline->RenewTime();
    if (frame.kind == replication::WalFrame::Kind::kNone) {
      *empty = true;
      return absl::OkStatus();
    }
    ++frames_;
    bytes_ += frame.payload.size();
    if (parts_.reading != nullptr && IsBeyondGoal(frame)) {
      parts_.assembler->AdvanceTo(*parts_.goal);
      parts_.tracker->Advance(parts_.assembler->position());
      return absl::OkStatus();
    }
    RETURN_IF_ERROR(OnFrame(frame));
    kept_bytes += frame.kind == replication::WalFrame::Kind::kKept ? frame.payload.size() : 0;
    if (kept_bytes > kMaxKeptPerTurn || IsBlocked()) break;
  }
  return absl::OkStatus();
}

absl::Status StreamPhase::TurnIncremental() {
  absl::Status turned = parts_.incremental->Turn(parts_.assembler->position().commit_end);
  parts_.housekeeping->WatchBeside(parts_.incremental->chunks_fd(),
                                   parts_.incremental->signals_fd());
  return turned;
}

bool StreamPhase::IsBlocked() const {
  return parts_.incremental != nullptr && parts_.incremental->blocks() && !held_ &&
         !parts_.assembler->in_transaction();
}

absl::Status StreamPhase::NapOrWait() {
  const ReadPace::Answer next =
      pace_.OnEmpty(std::exchange(frames_, 0), std::exchange(bytes_, 0), parts_.clock->Monotonic());
  switch (next.kind) {
    case ReadPace::Answer::Kind::kNap:
      parts_.housekeeping->Nap(-1, next.nap);
      return absl::OkStatus();
    case ReadPace::Answer::Kind::kMore:
      parts_.housekeeping->Nap(parts_.source->ready_fd(), ReadPace::kPause);
      return absl::OkStatus();
    case ReadPace::Answer::Kind::kWait:
      return WaitForSource();
  }
  return absl::OkStatus();
}

absl::Status StreamPhase::WaitForSource() {
  const bool beside = parts_.incremental != nullptr;
  if (parts_.goal || (beside && parts_.incremental->awaits_stream()))
    parts_.housekeeping->AskForReply();
  RETURN_IF_ERROR(parts_.housekeeping->Turn());
  absl::Duration longest = parts_.goal ? kGoalPoll : kIdleWait;
  if (beside) longest = std::min(longest, parts_.incremental->UntilDue());
  parts_.housekeeping->Wait(parts_.source->ready_fd(),
                            std::min(longest, parts_.heartbeat->UntilDue()));
  return absl::OkStatus();
}

absl::Status StreamPhase::OnFrame(const replication::WalFrame& frame) {
  if (frame.kind == replication::WalFrame::Kind::kKeepalive) {
    OnKeepalive(frame);
    return absl::OkStatus();
  }
  parts_.housekeeping->OnReceived(frame.start);
  parts_.housekeeping->OnFrame();
  if (!frame.received_before) parts_.metrics->received_bytes.Add(frame.payload.size());
  if (frame.kind == replication::WalFrame::Kind::kKept) return absl::OkStatus();
  return Assemble(frame);
}

absl::Status StreamPhase::Assemble(const replication::WalFrame& frame) {
  RETURN_IF_ERROR(parts_.assembler->OnMessage(frame.start, frame.payload));
  if (!parts_.assembler->awaits_schema()) {
    if (commits_) CoverMessage(frame);
    held_.reset();
  } else if (!held_) {
    held_ = frame;
  }
  return absl::OkStatus();
}

// A message outside of transactions moves no position by itself, and would be repeated. Its frame
// has its end, and what ends before that was sent before it.
void StreamPhase::CoverMessage(const replication::WalFrame& frame) {
  const bool is_message = !frame.payload.empty() && frame.payload.front() == kMessage;
  if (!is_message || parts_.assembler->in_transaction()) return;
  parts_.assembler->AdvanceTo(frame.start);
  parts_.tracker->Advance(parts_.assembler->position());
}

void StreamPhase::WaitForSchema() {
  parts_.housekeeping->WaitUnread(
      parts_.schemas->ready_fd(),
      std::min({kIdleWait, parts_.schemas->UntilDue(), parts_.heartbeat->UntilDue()}));
}

void StreamPhase::OnKeepalive(const replication::WalFrame& frame) {
  parts_.housekeeping->OnReceived(frame.wal_end);
  // Between transactions everything before wal_end is either behind us or does not concern this
  // slot: without this, a slot beside a busy database would hold the WAL for ever.
  if (!parts_.assembler->in_transaction()) {
    parts_.assembler->AdvanceTo(frame.wal_end);
    parts_.tracker->Advance(parts_.assembler->position());
  }
  if (!frame.reply_requested) return;
  parts_.housekeeping->ReplySoon();
  // A server that shuts down waits until we have confirmed all it sent: store now rather than at
  // the next interval.
  const absl::Duration now = parts_.clock->Monotonic();
  if (now - last_hurry_ < kHurryInterval) return;
  last_hurry_ = now;
  parts_.checkpointer->MakeDue();
}

void StreamPhase::CountRepeated() {
  const uint64_t repeated = parts_.assembler->skipped_changes();
  if (repeated == repeated_) return;
  parts_.metrics->Filtered(metrics::FilterRule::kAlreadyDone).Add(repeated - repeated_);
  repeated_ = repeated;
}

// A BEGIN tells where its transaction commits.
bool StreamPhase::IsBeyondGoal(const replication::WalFrame& frame) const {
  ByteReader payload(frame.payload);
  return payload.U8() == kBegin && Lsn(payload.U64()) >= *parts_.goal;
}

void StreamPhase::CheckGoal() {
  if (!parts_.goal || parts_.assembler->in_transaction()) return;
  goal_reached_ = parts_.assembler->position().commit_end >= *parts_.goal ||
                  (parts_.reading != nullptr && parts_.reading->Ended());
}

}  // namespace walduct::slot
