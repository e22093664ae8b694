#include "delivery/settling/committing_store.h"

#include "base/check.h"
#include "base/status_macros.h"

namespace walduct::delivery {

absl::Status CommittingStore::Open() {
  RETURN_IF_ERROR(transactions_.TakeOver());
  opened_ = true;
  return transactions_.Begin();
}

absl::Status CommittingStore::StartSave(const offset::StoredOffset& offset) {
  RETURN_IF_ERROR(store_->Prepare());
  const std::optional<event::Record> record = store_->RecordOf(offset);
  CHECK(record.has_value());
  RETURN_IF_ERROR(transactions_.StartCommit(*record));
  saving_ = true;
  doubt_at_ = clock_.Monotonic() + kLong;
  return absl::OkStatus();
}

std::optional<absl::Status> CommittingStore::PollSave() {
  // What its client reports is taken and ignored.
  if (const auto idle = store_->PollSave(); idle.has_value()) idle->IgnoreError();
  if (!saving_) return absl::OkStatus();
  const std::optional<absl::Status> committed = transactions_.PollCommit();
  if (!committed) {
    if (clock_.Monotonic() < doubt_at_) return std::nullopt;
    const absl::Status there = store_->Doubt();
    return there.ok() ? std::nullopt : std::optional(there);
  }
  saving_ = false;
  return committed->ok() ? transactions_.Begin() : *committed;
}

}  // namespace walduct::delivery
