#include "tests/simulation/disk.h"

#include "absl/strings/str_cat.h"
#include "base/error.h"
#include "tests/simulation/process.h"

namespace walduct::simulation {

absl::StatusOr<std::optional<offset::StoredOffset>> ReadDisk(const World& world) {
  if (!world.disk.content) return std::optional<offset::StoredOffset>();
  absl::StatusOr<offset::StoredOffset> offset = offset::DecodeOffset(*world.disk.content);
  if (!offset.ok()) return offset.status();
  event::Position& position = offset->position;
  if (world.defect == Defect::kForgetSnapshot &&
      position.snapshot == event::SnapshotPhase::kRunning)
    position.snapshot = event::SnapshotPhase::kNone;
  if (world.defect == Defect::kForgetAsked) offset->members.clear();
  if (world.defect == Defect::kResumeByEventLsn) {
    position.ordinal = 0;
    position.transaction_final_lsn = Lsn();
  }
  return std::optional<offset::StoredOffset>(*std::move(offset));
}

void NoteStored(World* world, const offset::StoredOffset& offset) {
  const event::Position& position = offset.position;
  world->Note(absl::StrCat("stored ", position.commit_end.ToString(), " + ", position.ordinal,
                           position.snapshot == event::SnapshotPhase::kRunning ? ", snapshot" : "",
                           offset.taken_by.empty() ? "" : ", taken over"));
  world->ledger.OnStored(offset);
}

DiskStore::DiskStore(World* world, Process* process)
    : world_(*world), process_(*process), fd_(world->time.NewDescriptor()) {}

absl::StatusOr<std::optional<offset::StoredOffset>> DiskStore::Load() {
  if (process_.Step("Load")) return Dead();
  seen_ = world_.disk.content;
  return ReadDisk(world_);
}

absl::Status DiskStore::StartSave(const offset::StoredOffset& offset) {
  CHECK(!saving_);
  if (process_.Step("StartSave")) return Dead();
  saving_ = Saving{.offset = offset, .due = world_.time.Monotonic()};
  if (world_.random.OneIn(3)) saving_->due += world_.random.UpTo(absl::Seconds(3));
  if (world_.Happens(Fault::kSaveHangs)) saving_->due += world_.random.UpTo(absl::Minutes(1));
  if (world_.Happens(Fault::kSaveFails)) {
    saving_->answer = absl::UnavailableError("the disk is full");
    saving_->lands = world_.random.OneIn(2);
  }
  // Durable, though nobody may ever hear of it.
  if (saving_->answer.ok() && world_.random.OneIn(4)) {
    saving_->answer = Land();
    saving_->lands = false;
  }
  const absl::Duration left = saving_->due - world_.time.Monotonic();
  world_.time.After(left, [time = &world_.time, fd = fd_] { time->SetReadable(fd, true); });
  return absl::OkStatus();
}

std::optional<absl::Status> DiskStore::PollSave() {
  world_.time.SetReadable(fd_, false);
  if (!saving_) return absl::OkStatus();
  if (process_.Step("PollSave")) {
    saving_.reset();
    return Dead();
  }
  if (world_.time.Monotonic() < saving_->due) return std::nullopt;
  if (saving_->lands) {
    const absl::Status landed = Land();
    if (saving_->answer.ok()) saving_->answer = landed;
  }
  const absl::Status answer = saving_->answer;
  saving_.reset();
  return answer;
}

absl::Status DiskStore::Land() {
  if (world_.disk.content != seen_) {
    if (world_.defect != Defect::kZombieWrites) {
      return Error(absl::StatusCode::kFailedPrecondition, "offset_superseded",
                   "another process has stored a position since");
    }
  }
  seen_ = world_.disk.content = offset::EncodeOffset(saving_->offset);
  NoteStored(&world_, saving_->offset);
  return absl::OkStatus();
}

}  // namespace walduct::simulation
