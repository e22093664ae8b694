// MemoryOffsetStore: forgets everything when the process ends. For `tail` and for tests.
#pragma once

#include <optional>

#include "offset/offset_store.h"

namespace walduct::offset {

class MemoryOffsetStore final : public OffsetStore {
 public:
  absl::StatusOr<std::optional<StoredOffset>> Load() override { return stored_; }
  absl::Status StartSave(const StoredOffset& offset) override {
    stored_ = offset;
    return absl::OkStatus();
  }
  std::optional<absl::Status> PollSave() override { return absl::OkStatus(); }
  int ready_fd() const override { return -1; }
  absl::Status Erase() override {
    stored_.reset();
    return absl::OkStatus();
  }

 private:
  std::optional<StoredOffset> stored_;
};

}  // namespace walduct::offset
