#include "recover/read/read_world.h"

#include "base/status_macros.h"
#include "offset/offset_store.h"
#include "recover/read/read_attempts.h"

namespace walduct::recover {
namespace {

class HeldStore final : public offset::OffsetStore {
 public:
  HeldStore(std::unique_ptr<offset::OffsetStore> store, const ReadState& state)
      : store_(std::move(store)), state_(state) {}

  absl::StatusOr<std::optional<offset::StoredOffset>> Load() override {
    return Behind(store_->Load());
  }
  absl::StatusOr<std::optional<offset::StoredOffset>> Peek() override {
    return Behind(store_->Peek());
  }
  bool erased() const override { return store_->erased(); }
  absl::Status Prepare() override { return store_->Prepare(); }
  absl::Status StartSave(const offset::StoredOffset& offset) override {
    return store_->StartSave(Before(offset));
  }
  std::optional<absl::Status> PollSave() override { return store_->PollSave(); }
  int ready_fd() const override { return store_->ready_fd(); }
  void RenewPermit() override { store_->RenewPermit(); }
  std::optional<event::Record> RecordOf(const offset::StoredOffset& offset) override {
    return store_->RecordOf(Before(offset));
  }
  absl::Status Doubt() override { return store_->Doubt(); }
  absl::Status ExplainEnd(const absl::Status& status) override {
    return store_->ExplainEnd(status);
  }
  absl::Status Erase() override { return store_->Erase(); }

 private:
  using Stored = absl::StatusOr<std::optional<offset::StoredOffset>>;

  Stored Behind(Stored stored) {
    held_.reset();
    if (!stored.ok() || !*stored || !state_.from.valid()) return stored;
    offset::StoredOffset& offset = **stored;
    if (offset.position.commit_end >= state_.from) return stored;
    held_ = offset;
    held_->slot_held = true;
    offset.slot_held = false;
    // The position was looked at. The slot's beginning is of the present timeline, whichever the
    // position is of.
    offset.timeline.reset();
    const int64_t time = offset.position.commit_time_us;
    offset.position = {};
    offset.position.commit_end = offset.position.change_lsn = state_.from;
    offset.position.commit_time_us = time;
    return stored;
  }

  offset::StoredOffset Before(const offset::StoredOffset& offset) const {
    if (!held_ || state_.done) return offset;
    offset::StoredOffset held = *held_;
    held.taken_by = offset.taken_by;
    return held;
  }

  const std::unique_ptr<offset::OffsetStore> store_;
  const ReadState& state_;
  std::optional<offset::StoredOffset> held_;
};

}  // namespace

std::unique_ptr<engine::Attempts> ReadWorld::MakeAttempts(const engine::AttemptParts& parts) {
  return std::make_unique<ReadAttempts>(*this, parts, options_);
}

absl::StatusOr<std::unique_ptr<sink::Sink>> ReadWorld::OpenSink(
    const engine::ConnectorOptions& config, sink::Refusals* refusals) {
  ASSIGN_OR_RETURN(std::unique_ptr<sink::Sink> sink, ServerWorld::OpenSink(config, refusals));
  return std::make_unique<JudgedSink>(std::move(sink), &state_.judge);
}

absl::StatusOr<std::unique_ptr<offset::OffsetStore>> ReadWorld::OpenOffsetStore(
    const engine::ConnectorOptions& config) {
  ASSIGN_OR_RETURN(std::unique_ptr<offset::OffsetStore> store,
                   ServerWorld::OpenOffsetStore(config));
  return std::make_unique<HeldStore>(std::move(store), state_);
}

}  // namespace walduct::recover
