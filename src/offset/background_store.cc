#include "offset/background_store.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <utility>

#include "base/check.h"

namespace walduct::offset {

BackgroundStore::BackgroundStore(std::unique_ptr<OffsetStore> store)
    : store_(std::move(store)), fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  CHECK(fd_ >= 0);
}

BackgroundStore::~BackgroundStore() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
  close(fd_);
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
    saving_ = true;
    asked_ = offset;
  }
  if (!thread_.joinable()) thread_ = std::thread([this] { Loop(); });
  changed_.notify_all();
  return absl::OkStatus();
}

std::optional<absl::Status> BackgroundStore::PollSave() {
  uint64_t count = 0;
  [[maybe_unused]] const ssize_t got = read(fd_, &count, sizeof count);
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!saving_) return absl::OkStatus();
  if (answer_) saving_ = false;
  return std::exchange(answer_, std::nullopt);
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
    const uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = write(fd_, &one, sizeof one);
  }
}

}  // namespace walduct::offset
