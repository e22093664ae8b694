#include "offset/background_store.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <memory>
#include <thread>

#include "absl/time/time.h"
#include "base/poller.h"

namespace walduct::offset {
namespace {

// Its saves last until they are let through.
class SlowStore final : public OffsetStore {
 public:
  absl::StatusOr<std::optional<StoredOffset>> Load() override { return stored; }
  absl::Status StartSave(const StoredOffset& offset) override {
    gate.get_future().wait();
    if (answer.ok()) stored = offset;
    return answer;
  }
  std::optional<absl::Status> PollSave() override { return absl::OkStatus(); }
  int ready_fd() const override { return -1; }
  absl::Status Erase() override {
    stored.reset();
    return absl::OkStatus();
  }
  std::promise<void> gate;
  absl::Status answer;
  std::optional<StoredOffset> stored;
};

class BackgroundStoreTest : public testing::Test {
 protected:
  BackgroundStoreTest() {
    auto slow = std::make_unique<SlowStore>();
    slow_ = slow.get();
    store_ = std::make_unique<BackgroundStore>(std::move(slow));
  }
  static StoredOffset At(uint64_t lsn) {
    StoredOffset offset;
    offset.position.commit_end = Lsn(lsn);
    return offset;
  }
  absl::Status Answer() {
    while (true) {
      if (const auto answer = store_->PollSave()) return *answer;
      Poller::Real().WaitReadable({store_->ready_fd()}, absl::Seconds(20));
    }
  }
  SlowStore* slow_;
  std::unique_ptr<BackgroundStore> store_;
};

TEST_F(BackgroundStoreTest, ASaveIsNotWaitedFor) {
  EXPECT_EQ(store_->PollSave(), absl::OkStatus());
  ASSERT_TRUE(store_->StartSave(At(42)).ok());
  EXPECT_EQ(store_->PollSave(), std::nullopt);
  slow_->gate.set_value();
  EXPECT_EQ(Answer(), absl::OkStatus());
  EXPECT_EQ(store_->PollSave(), absl::OkStatus());
  EXPECT_EQ((*store_->Load())->position.commit_end, Lsn(42));
}

TEST_F(BackgroundStoreTest, WhatFailsIsToldOnceAndMayBeStartedAgain) {
  slow_->answer = absl::FailedPreconditionError("disk full");
  slow_->gate.set_value();
  ASSERT_TRUE(store_->StartSave(At(1)).ok());
  EXPECT_EQ(Answer(), absl::FailedPreconditionError("disk full"));
  slow_->answer = absl::OkStatus();
  slow_->gate = {};
  slow_->gate.set_value();
  ASSERT_TRUE(store_->StartSave(At(2)).ok());
  EXPECT_EQ(Answer(), absl::OkStatus());
  EXPECT_EQ((*store_->Load())->position.commit_end, Lsn(2));
}

TEST_F(BackgroundStoreTest, WhatBlocksAnywayWaitsForTheSave) {
  ASSERT_TRUE(store_->StartSave(At(7)).ok());
  std::thread later([this] { slow_->gate.set_value(); });
  const auto loaded = store_->Load();
  later.join();
  EXPECT_EQ((*loaded)->position.commit_end, Lsn(7));
  EXPECT_TRUE(store_->Erase().ok());
  EXPECT_FALSE(slow_->stored);
}

TEST_F(BackgroundStoreTest, TheEndWaitsForTheSave) {
  ASSERT_TRUE(store_->StartSave(At(7)).ok());
  std::atomic<bool> let = false;
  std::thread later([&] {
    let = true;
    slow_->gate.set_value();
  });
  store_.reset();
  EXPECT_TRUE(let);
  later.join();
}

}  // namespace
}  // namespace walduct::offset
