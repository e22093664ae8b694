// IncrementalDriver: incremental snapshots of one session, wired to its pipeline, its source and
// what is stored with its positions. Data thread only.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "delivery/pipeline/pipeline.h"
#include "delivery/progress/checkpointer.h"
#include "incremental/incremental_snapshots.h"
#include "offset/ack_tracker.h"
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
    Source* source = nullptr;
    delivery::Pipeline* pipeline = nullptr;
    offset::AckTracker* tracker = nullptr;
    delivery::Checkpointer* checkpointer = nullptr;
    Notifier* notifier = nullptr;
    Clock* clock = nullptr;
    metrics::ConnectorMetrics* metrics = nullptr;
    std::function<std::string()> new_id;
    bool ran_before = false;  // this process has run the connector
  };
  // Null: no signals are taken, which is logged where the position came with a snapshot under way.
  static std::unique_ptr<IncrementalDriver> Create(const Parts& parts,
                                                   const incremental::OffsetMembers& stored);
  ~IncrementalDriver() override;

  // The stream is about to begin. stored: of the offset that is gone on from.
  absl::Status Begin(const incremental::OffsetMembers& stored);
  incremental::IncrementalSnapshots& snapshots() { return *snapshots_; }

  absl::Status PublishRead(const event::ChangeEvent& row) override {
    return parts_.pipeline->PublishRead(row);
  }
  absl::Status Notify(const event::Notification& notification) override {
    return parts_.notifier->Send(notification);
  }
  void SetMark(uint64_t mark) override;
  uint64_t StoredMark() const override { return parts_.checkpointer->stored_mark(); }
  void StoreSoon() override;

 private:
  explicit IncrementalDriver(const Parts& parts);

  const Parts parts_;
  std::unique_ptr<incremental::IncrementalSnapshots> snapshots_;
};

}  // namespace walduct::slot
