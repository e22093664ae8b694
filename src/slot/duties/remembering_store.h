// RememberingStore: an offset store whose positions may be lost under a process that knows them,
// such as a topic that somebody deletes: what was loaded or stored last is gone on from, in place
// of a first start. One that was erased on purpose is not. Data thread only.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "offset/offset_store.h"

namespace walduct::slot {

class RememberingStore final : public offset::OffsetStore {
 public:
  using Stored = std::optional<offset::StoredOffset>;

  // known: borrowed; outlives the attempts of a connector. Empty: nothing yet.
  RememberingStore(std::unique_ptr<offset::OffsetStore> store, Stored* known)
      : store_(std::move(store)), known_(*known) {}

  absl::StatusOr<Stored> Load() override { return Known(store_->Load()); }
  absl::StatusOr<Stored> Peek() override { return Known(store_->Peek()); }
  bool erased() const override { return store_->erased(); }
  absl::Status StartSave(const offset::StoredOffset& offset) override;
  std::optional<absl::Status> PollSave() override;
  int ready_fd() const override { return store_->ready_fd(); }
  void RenewPermit() override { store_->RenewPermit(); }
  std::optional<event::Record> RecordOf(const offset::StoredOffset& offset) override {
    return store_->RecordOf(offset);
  }
  absl::Status Erase() override;
  absl::Status Doubt() override { return store_->Doubt(); }
  absl::Status ExplainEnd(const absl::Status& status) override {
    return store_->ExplainEnd(status);
  }

 private:
  absl::StatusOr<Stored> Known(absl::StatusOr<Stored> loaded);

  const std::unique_ptr<offset::OffsetStore> store_;
  Stored& known_;
  Stored saving_;
  bool told_ = false;
};

}  // namespace walduct::slot
