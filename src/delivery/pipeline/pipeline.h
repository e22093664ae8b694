// Pipeline: pushes each change through route and encode into the sink and keeps account of what is
// in flight. A change is either wholly written, filtered by a named rule, let pass by
// RecordErrors, or an error: never dropped in silence. Data thread only.
#pragma once

#include <array>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "delivery/pipeline/record_errors.h"
#include "delivery/settling/ack_tracker.h"
#include "delivery/settling/destination_meter.h"
#include "encode/record_encoder.h"
#include "engine/errors/warn_once.h"
#include "event/change_handler.h"
#include "event/change_id.h"
#include "incremental/incremental_snapshots.h"
#include "metrics/connector_metrics.h"
#include "route/router.h"
#include "sink/sink.h"

namespace walduct::delivery {

// Called in the middle of a change, when the sink has no room or the id of a schema is not known
// yet: does the loop's other duties until that may have changed.
class RoomWaiter {
 public:
  virtual ~RoomWaiter() = default;
  virtual absl::Status WaitForRoom() = 0;
  virtual absl::Status WaitForSchemaId() = 0;
};

class Pipeline final : public event::ChangeHandler {
 public:
  // All borrowed for the pipeline's life.
  struct Parts {
    route::Router* router = nullptr;
    encode::RecordEncoder* encoder = nullptr;
    sink::Sink* sink = nullptr;
    AckTracker* tracker = nullptr;
    RoomWaiter* waiter = nullptr;
    RecordErrors* errors = nullptr;
    DestinationMeter* destinations = nullptr;  // null: they are not counted
    metrics::ConnectorMetrics* metrics = nullptr;
    engine::WarnOnce* warn_once = nullptr;
    Clock* clock = nullptr;
  };
  explicit Pipeline(Parts parts) : parts_(parts) {}

  absl::Status OnBegin(const event::TransactionInfo& transaction) override;
  absl::Status OnChange(const event::ChangeEvent& change) override;
  absl::Status OnRepeated(const event::ChangeEvent& change) override;
  absl::Status OnCommit(const event::TransactionInfo& transaction,
                        const event::Position& boundary) override;

  // What comes between them is at hand, and is published without waiting in between: records may
  // have the time of the one before. RenewTime: something was waited for.
  void BeginBatch();
  void EndBatch();
  void RenewTime();

  absl::Status PublishHeartbeat();
  // A row that is read beside the stream. Moves no position.
  absl::Status PublishRead(const event::ChangeEvent& row);
  // topic: lives as long as the pipeline.
  absl::Status PublishNotification(const event::Notification& notification,
                                   absl::string_view topic);
  // What goes with the position has changed, the position has not.
  void CoverAgain();
  // Borrowed; told of each change from now on. Null: nobody.
  void SetIncremental(incremental::IncrementalSnapshots* snapshots) { incremental_ = snapshots; }

  // Of snapshots: they could not be published, and were let pass.
  uint64_t rows_left_out() const { return parts_.errors->rows_left_out(); }

  // This change is not published, and told so.
  void Skip(std::optional<event::ChangeId> change) { skip_ = change; }

  // Copies what rules dropped, and values that were replaced, since the last call into the metrics.
  void CountFiltered();

  // Says once of each column what its owner should know: left out, not masked, plain in the key,
  // values replaced.
  void ReportNotices();

 private:
  void CommittedAt(int64_t us);
  absl::Status Take(const event::ChangeEvent& change);
  absl::Status PublishAll();
  // Of the next record of emission.
  void Name(const event::Emission& emission, event::Record* record);
  absl::Status SkipChange(const event::ChangeEvent& change);
  absl::Status TellIncremental(const event::ChangeEvent& change);
  absl::Status PublishBeside(const event::Emission& emission);
  absl::Status Encode(const event::Emission& emission, event::Record* record);
  absl::Status Publish(const event::Emission& emission);
  absl::Status Write(const event::Record& record, bool letter = false);
  absl::Status Waited(absl::Status waited);
  // Of the record that was written, and of no other one.
  bool IsVerdict(const absl::Status& written) const;
  absl::Status OnFailure(const event::Emission& emission, const absl::Status& error,
                         RecordErrors::Stage stage);
  absl::Status LetPass(const event::Emission& emission, const absl::Status& error,
                       RecordErrors::Stage stage);
  // The record without its largest values; InvalidArgument when it still does not fit.
  absl::Status PublishSmaller(const event::Emission& emission, const absl::Status& error);
  // To who looks on; `change_` is what it is of.
  void ShowRecord(const event::Record& record);
  void CountChange(const event::ChangeEvent& change);
  metrics::TableCounters* CountersOf(const event::TableSchema& schema);
  void CountReplaced();

  Parts parts_;
  incremental::IncrementalSnapshots* incremental_ = nullptr;
  std::optional<event::ChangeId> skip_;
  bool in_change_ = false;           // its position is not covered yet
  bool wait_failed_ = false;         // what ended a wait is no verdict on the record that waited
  route::Router::Counters counted_;  // already in the metrics
  std::array<uint64_t, metrics::kReplacementLabels.size()> replaced_{};  // the same
  route::Router::Emissions emissions_;
  route::Router::Emissions read_emissions_;
  metrics::TableCounters::Pair* of_table_ = nullptr;  // of the change under way; null: none
  const event::ChangeEvent* change_ = nullptr;        // the same
  uint64_t last_table_ = 0;                           // the one of last_counters_
  metrics::TableCounters* last_counters_ = nullptr;
  absl::flat_hash_map<uint64_t, metrics::TableCounters*> table_counters_;
  bool has_records_ = false;  // the transaction
  event::RecordId id_;        // of the last change, or of what begins and ends a transaction
  uint32_t part_ = 0;         // the next record of it
};

}  // namespace walduct::delivery
