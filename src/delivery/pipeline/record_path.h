// RecordPath: the way of a change to the sink, wired from a configuration: router, transforms,
// encoder, what becomes of records that cannot be published, and the Pipeline that drives them.
// Lives as long as a session. Data thread only.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "base/clock.h"
#include "delivery/pipeline/pipeline.h"
#include "delivery/pipeline/record_errors.h"
#include "delivery/pipeline/refused_records.h"
#include "delivery/settling/ack_tracker.h"
#include "delivery/settling/destination_meter.h"
#include "encode/record_encoder.h"
#include "engine/errors/warn_once.h"
#include "metrics/connector_metrics.h"
#include "names/table_filter.h"
#include "route/router.h"
#include "sink/sink.h"
#include "transform/chain/chain.h"

namespace walduct::engine {
struct ConnectorOptions;
}  // namespace walduct::engine

namespace walduct::delivery {

class RecordPath {
 public:
  // All borrowed.
  struct Parts {
    const engine::ConnectorOptions* config = nullptr;
    std::string run_id;
    Clock* clock = nullptr;
    event::SchemaIdSources schema_ids = {};
    sink::Sink* sink = nullptr;
    AckTracker* tracker = nullptr;
    DestinationMeter* destinations = nullptr;  // null: they are not counted
    RoomWaiter* waiter = nullptr;
    metrics::ConnectorMetrics* metrics = nullptr;
    engine::WarnOnce* warn_once = nullptr;
  };
  static absl::StatusOr<std::unique_ptr<RecordPath>> Create(const Parts& parts);

  Pipeline& pipeline() { return *pipeline_; }
  encode::RecordEncoder& encoder() { return *encoder_; }
  RefusedRecords& refused() { return refused_; }

 private:
  explicit RecordPath(const Parts& parts);

  const names::TableFilter filter_;
  const std::unique_ptr<const transform::Chain> chain_;  // null: no transforms
  std::unique_ptr<encode::RecordEncoder> encoder_;
  RecordErrors errors_;
  RefusedRecords refused_;
  std::unique_ptr<route::Router> router_;
  std::unique_ptr<Pipeline> pipeline_;
};

}  // namespace walduct::delivery
