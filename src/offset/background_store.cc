#include "offset/background_store.h"

#include <utility>

namespace walduct::offset {

BackgroundStore::BackgroundStore(std::unique_ptr<OffsetStore> store) : store_(std::move(store)) {}

absl::StatusOr<std::optional<StoredOffset>> BackgroundStore::Load() {
  AwaitSave();
  return store_->Load();
}

absl::Status BackgroundStore::Erase() {
  AwaitSave();
  return store_->Erase();
}

absl::Status BackgroundStore::StartSave(const StoredOffset& offset) {
  AwaitSave();  // whose answer nobody took
  {
    const MutexLock lock(mutex_);
    answer_.reset();
    asked_ = offset;
  }
  thread_.Start([this] { Loop(); });
  thread_.Notify();
  return absl::OkStatus();
}

std::optional<absl::Status> BackgroundStore::PollSave() {
  done_.Drain();
  const MutexLock lock(mutex_);
  if (asked_) return std::nullopt;
  return std::exchange(answer_, std::nullopt).value_or(absl::OkStatus());
}

void BackgroundStore::AwaitSave() {
  MutexLock lock(mutex_);
  thread_.Await(lock, [this] {
    mutex_.AssertHeld();
    return !asked_;
  });
}

// What was asked for is stored even when it is to end.
void BackgroundStore::Loop() {
  MutexLock lock(mutex_);
  while (true) {
    thread_.Await(lock, [this] {
      mutex_.AssertHeld();
      return asked_.has_value();
    });
    if (!asked_) return;
    const StoredOffset offset = *asked_;
    lock.Release();
    absl::Status stored = store_->StartSave(offset);
    lock.Take();
    answer_ = std::move(stored);
    asked_.reset();
    thread_.Notify();
    done_.Signal();
  }
}

}  // namespace walduct::offset
