// CommittingStore: the offset store of a connector whose sink has transactions: a position is
// stored by ending the open transaction with it, so that records and position become visible
// together, and a save that fails leaves neither. A transaction is open from Open on, except while
// one is being committed. What was stored is read as ever. Data thread only.
#pragma once

#include <memory>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "offset/offset_store.h"
#include "sink/sink.h"

namespace walduct::delivery {

class CommittingStore final : public offset::OffsetStore {
 public:
  // A commit that takes longer is doubted: the topic of the position may be gone, which a client
  // does not say.
  static constexpr absl::Duration kLong = absl::Seconds(5);

  // store: knows how positions are written. sink: borrowed, with transactions; clock, too.
  CommittingStore(std::unique_ptr<offset::OffsetStore> store, sink::Sink* sink, Clock* clock)
      : store_(std::move(store)),
        sink_(*sink),
        transactions_(*sink->transactions()),
        clock_(*clock) {}

  // Shuts earlier instances out, and opens the first transaction. Blocks; see SinkTransactions.
  absl::Status Open();

  // Before Open what is stored may be decided by it.
  absl::StatusOr<std::optional<offset::StoredOffset>> Load() override {
    return opened_ ? store_->Load() : store_->Peek();
  }
  bool erased() const override { return store_->erased(); }
  absl::Status StartSave(const offset::StoredOffset& offset) override;
  // An error breaks the sink.
  std::optional<absl::Status> PollSave() override;
  int ready_fd() const override { return sink_.ready_fd(); }
  absl::Status Erase() override { return store_->Erase(); }
  absl::Status Doubt() override { return store_->Doubt(); }
  absl::Status ExplainEnd(const absl::Status& status) override {
    return store_->ExplainEnd(status);
  }

 private:
  const std::unique_ptr<offset::OffsetStore> store_;
  sink::Sink& sink_;
  sink::SinkTransactions& transactions_;
  Clock& clock_;
  bool opened_ = false, saving_ = false;
  absl::Duration doubt_at_;  // of the commit under way
};

}  // namespace walduct::delivery
