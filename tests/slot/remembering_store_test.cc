#include "slot/duties/remembering_store.h"

#include <gtest/gtest.h>

namespace walduct::slot {
namespace {

using offset::StoredOffset;

// Loses what it had when it is told to.
class LosingStore final : public offset::OffsetStore {
 public:
  absl::StatusOr<std::optional<StoredOffset>> Load() override { return stored; }
  bool erased() const override { return is_erased; }
  absl::Status StartSave(const StoredOffset& offset) override {
    stored = offset;
    return absl::OkStatus();
  }
  std::optional<absl::Status> PollSave() override { return answer; }
  int ready_fd() const override { return -1; }
  absl::Status Erase() override {
    stored.reset();
    is_erased = true;
    return absl::OkStatus();
  }

  std::optional<StoredOffset> stored;
  absl::Status answer;
  bool is_erased = false;
};

class RememberingStoreTest : public testing::Test {
 protected:
  static StoredOffset At(uint64_t lsn) {
    StoredOffset offset;
    offset.position.commit_end = Lsn(lsn);
    return offset;
  }
  // A new attempt's, on a store that keeps.
  RememberingStore Store(std::optional<StoredOffset> stored, bool erased = false) {
    auto store = std::make_unique<LosingStore>();
    store->stored = std::move(stored);
    store->is_erased = erased;
    store_ = store.get();
    return RememberingStore(std::move(store), &known_);
  }
  static uint64_t Loaded(RememberingStore store) {
    const auto loaded = store.Load();
    return loaded.ok() && *loaded ? (*loaded)->position.commit_end.value() : 0;
  }

  std::optional<StoredOffset> known_;
  LosingStore* store_ = nullptr;
};

TEST_F(RememberingStoreTest, WhatWasStoredLastIsGoneOnFrom) {
  EXPECT_EQ(Loaded(Store({})), 0u) << "a first start";
  EXPECT_EQ(Loaded(Store(At(10))), 10u);
  {
    RememberingStore store = Store(At(10));
    ASSERT_TRUE(store.StartSave(At(20)).ok());
    EXPECT_EQ(known_->position.commit_end, Lsn(10)) << "it is not stored yet";
    EXPECT_TRUE(store.PollSave()->ok());
  }
  EXPECT_EQ(Loaded(Store({})), 20u);
  EXPECT_EQ(Loaded(Store(At(30))), 30u) << "what is there counts";
}

// A start takes over what walduct has stored, and stores it: so what has vanished is there again.
TEST_F(RememberingStoreTest, WhatThisProcessHasStoredIsItsOwn) {
  {
    RememberingStore store = Store(At(10));
    ASSERT_TRUE(store.StartSave(At(20)).ok());
    EXPECT_TRUE(store.PollSave()->ok());
  }
  RememberingStore vanished = Store({});
  const auto loaded = vanished.Load();
  ASSERT_TRUE(loaded.ok());
  ASSERT_TRUE(loaded->has_value());
  EXPECT_TRUE((*loaded)->written_by_walduct);
}

TEST_F(RememberingStoreTest, WhatWasNotStoredIsNot) {
  EXPECT_EQ(Loaded(Store(At(10))), 10u);
  {
    RememberingStore store = Store(At(10));
    store_->answer = absl::UnavailableError("gone");
    ASSERT_TRUE(store.StartSave(At(20)).ok());
    EXPECT_FALSE(store.PollSave()->ok());
  }
  EXPECT_EQ(Loaded(Store({})), 10u);
}

TEST_F(RememberingStoreTest, WhatWasErasedOnPurposeStaysErased) {
  EXPECT_EQ(Loaded(Store(At(10))), 10u);
  EXPECT_EQ(Loaded(Store({}, /*erased=*/true)), 0u);
  EXPECT_EQ(Loaded(Store({})), 0u);
}

}  // namespace
}  // namespace walduct::slot
