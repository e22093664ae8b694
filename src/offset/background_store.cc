#include "offset/background_store.h"

#include <utility>

namespace walduct::offset {

BackgroundStore::BackgroundStore(std::unique_ptr<OffsetStore> store) : store_(std::move(store)) {}

BackgroundStore::~BackgroundStore() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

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
    const std::lock_guard<std::mutex> lock(mutex_);
    answer_.reset();
    asked_ = offset;
  }
  if (!thread_.joinable()) thread_ = std::thread([this] { Loop(); });
  changed_.notify_all();
  return absl::OkStatus();
}

std::optional<absl::Status> BackgroundStore::PollSave() {
  done_.Drain();
  const std::lock_guard<std::mutex> lock(mutex_);
  if (asked_) return std::nullopt;
  return std::exchange(answer_, std::nullopt).value_or(absl::OkStatus());
}

void BackgroundStore::AwaitSave() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [this] { return !asked_; });
}

// What was asked for is stored even when it is to end.
void BackgroundStore::Loop() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return asked_ || stopping_; });
    if (!asked_) return;
    const StoredOffset offset = *asked_;
    lock.unlock();
    absl::Status stored = store_->StartSave(offset);
    lock.lock();
    answer_ = std::move(stored);
    asked_.reset();
    changed_.notify_all();
    done_.Signal();
  }
}

}  // namespace walduct::offset
