// IncrementalDriver: incremental snapshots of one session, wired to its pipeline, its source and
// what is stored with its positions. Data thread only.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "delivery/pipeline/pipeline.h"
#include "delivery/settling/ack_tracker.h"
#include "incremental/incremental_snapshots.h"
#include "slot/duties/checkpointer.h"
#include "slot/duties/ledger.h"
#include "slot/incremental/notifier.h"
#include "slot/world/world.h"

namespace walduct::route {
struct RouteOptions;
}

namespace walduct::slot {

class IncrementalDriver final : public incremental::Output {
 public:
  // All borrowed.
  struct Parts {
    const incremental::IncrementalOptions* options = nullptr;
    const route::RouteOptions* route = nullptr;
    std::string connector_name;  // as notifications tell it
    names::Called called = {};   // in commands to type
    Source* source = nullptr;
    delivery::Pipeline* pipeline = nullptr;
    delivery::AckTracker* tracker = nullptr;
    Checkpointer* checkpointer = nullptr;
    Ledger* ledger = nullptr;
    Notifier* notifier = nullptr;
    Clock* clock = nullptr;
    metrics::ConnectorMetrics* metrics = nullptr;
    std::function<std::string()> new_id;
    // See Output::WasReadWhole; null: nobody asks.
    std::function<void(Oid, const incremental::TransactionView&)> on_whole;
    bool ran_before = false;  // this process has run the connector
  };
  // stored: of the offset that is gone on from. Null: no signals are taken, which is logged where
  // it came with a snapshot under way.
  static std::unique_ptr<IncrementalDriver> Create(const Parts& parts, event::OffsetMembers stored);
  ~IncrementalDriver() override;

  // The stream is about to begin.
  absl::Status Begin() { return snapshots_->Resume(stored_); }
  incremental::IncrementalSnapshots& snapshots() { return *snapshots_; }

  absl::Status PublishRead(const event::ChangeEvent& row) override {
    return parts_.pipeline->PublishRead(row);
  }
  absl::Status Notify(const event::Notification& notification) override {
    return parts_.notifier->Send(notification);
  }
  void WasReadWhole(Oid table, const incremental::TransactionView& first) override {
    if (parts_.on_whole) parts_.on_whole(table, first);
  }
  uint64_t RowsLeftOut() const override { return parts_.pipeline->rows_left_out(); }
  uint64_t Keep(event::OffsetMembers members) override;
  uint64_t StoredMark() const override { return parts_.checkpointer->stored_mark(); }
  void StoreSoon() override;

 private:
  IncrementalDriver(const Parts& parts, event::OffsetMembers stored);

  const Parts parts_;
  const event::OffsetMembers stored_;
  std::unique_ptr<incremental::IncrementalSnapshots> snapshots_;
};

}  // namespace walduct::slot
