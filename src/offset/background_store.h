// BackgroundStore: a store that stores before it returns, on a thread of its own, so that a slow
// disk holds up nothing else. The thread begins with the first save. All that blocks anyway waits
// for the save under way first, and so does the destructor: nothing is written behind its back.
#pragma once

#include <memory>
#include <optional>

#include "base/mutex.h"
#include "base/wake.h"
#include "base/worker_thread.h"
#include "offset/offset_store.h"

namespace walduct::offset {

class BackgroundStore final : public OffsetStore {
 public:
  explicit BackgroundStore(std::unique_ptr<OffsetStore> store);

  absl::StatusOr<std::optional<StoredOffset>> Load() override;
  bool erased() const override { return store_->erased(); }
  absl::Status StartSave(const StoredOffset& offset) override;
  std::optional<absl::Status> PollSave() override;
  int ready_fd() const override { return done_.fd(); }
  absl::Status Erase() override;

 private:
  void Loop();
  void AwaitSave();

  const std::unique_ptr<OffsetStore> store_;  // the thread's while a save is under way
  Wake done_;                                 // once there is an answer
  Mutex mutex_;
  std::optional<StoredOffset> asked_ ABSL_GUARDED_BY(mutex_);   // until it is stored, or not
  std::optional<absl::Status> answer_ ABSL_GUARDED_BY(mutex_);  // until it is taken
  WorkerThread thread_{mutex_};                                 // last: uses all of the above
};

}  // namespace walduct::offset
