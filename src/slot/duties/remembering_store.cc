#include "slot/duties/remembering_store.h"

#include "base/log.h"
#include "base/status_macros.h"

namespace walduct::slot {

absl::StatusOr<RememberingStore::Stored> RememberingStore::Known(absl::StatusOr<Stored> loaded) {
  if (!loaded.ok()) return loaded;
  if (*loaded || store_->erased()) {
    known_ = *loaded;
    return loaded;
  }
  if (known_ && !std::exchange(told_, true)) {
    log::Warn(
        "the stored position has vanished under this process, which knows it: it goes on from "
        "there, and stores it again",
        {{"position", known_->position.commit_end.ToString()}});
  }
  return known_;
}

absl::Status RememberingStore::StartSave(const offset::StoredOffset& offset) {
  RETURN_IF_ERROR(store_->StartSave(offset));
  saving_ = offset;
  saving_->written_by_walduct = true;  // as it is when it is loaded
  return absl::OkStatus();
}

std::optional<absl::Status> RememberingStore::PollSave() {
  std::optional<absl::Status> saved = store_->PollSave();
  if (saved && saving_) {
    if (saved->ok()) known_ = std::move(saving_);
    saving_.reset();
  }
  return saved;
}

absl::Status RememberingStore::Erase() {
  known_.reset();
  return store_->Erase();
}

}  // namespace walduct::slot
