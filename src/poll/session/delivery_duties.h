// DeliveryDuties: what goes on whatever a polling session waits for: acknowledgements are drained,
// commands taken, measures told. Data thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/environment.h"
#include "delivery/pipeline/pipeline.h"
#include "delivery/pipeline/refused_records.h"
#include "delivery/progress/delivery_meter.h"
#include "delivery/progress/work_report.h"
#include "delivery/settling/ack_tracker.h"
#include "delivery/settling/destination_meter.h"
#include "engine/control/control.h"
#include "engine/control/status_board.h"
#include "sink/sink.h"

namespace walduct::poll {

class DeliveryDuties final : public delivery::RoomWaiter, public sink::AckHandler {
 public:
  // All borrowed.
  struct Parts {
    Environment environment;
    sink::Sink* sink = nullptr;
    delivery::AckTracker* tracker = nullptr;
    engine::Control* control = nullptr;
    engine::StatusBoard* board = nullptr;
    metrics::ConnectorMetrics* metrics = nullptr;
    event::SchemaIdSources schema_ids = {};
  };
  explicit DeliveryDuties(const Parts& parts);

  // Borrowed; gets what the sink hands back.
  void SetRefused(delivery::RefusedRecords* refused) { refused_ = refused; }
  // From here on the sink sends as long as this thread turns: one that has stood still may have
  // been replaced meanwhile (kafka::SendPermit).
  void BeginOwning();
  // It has stood still: nothing is sent until somebody has found out that it still owns the tables.
  bool doubts() const { return doubts_; }
  void Doubt() { doubts_ = true; }
  void Believe();
  // Is called between two turns of a wait for the sink, however long it is, and when fd() is
  // readable (-1: nothing is).
  void SetBeside(std::function<absl::Status()> beside, std::function<int()> fd) {
    beside_ = std::move(beside);
    beside_fd_ = std::move(fd);
  }
  // The same of a flush: it answers at once as a rule. After an error nothing more is sent.
  void SetBesideFlush(std::function<absl::Status()> beside) { beside_flush_ = std::move(beside); }
  // What the sink has handed back and nobody has taken charge of: the sink is broken.
  struct Refused {
    uint64_t number = 0;  // of the row
    absl::Status why;
  };
  const std::optional<Refused>& unsettled() const { return unsettled_; }
  // Polls, and waits for one of: fd and other (-1: none), an acknowledgement, a command.
  absl::Status TurnAndWait(int fd, absl::Duration at_most, engine::WaitReason wait, int other = -1);
  absl::Status Turn();
  // Waits until all that was written is acknowledged, within a time, whatever is commanded.
  absl::Status Flush(absl::Duration timeout);

  absl::Status WaitForRoom() override;
  absl::Status WaitForSchemaId() override;
  void OnAcknowledged(sink::Ticket ticket, uint32_t count) override;
  absl::Status OnRefused(const event::Record& record, sink::Ticket ticket,
                         const absl::Status& why) override;

  bool interrupted() const { return parts_.control->interrupted(); }
  delivery::DestinationMeter& destinations() { return destinations_; }

 private:
  void Beat();

  const Parts parts_;
  delivery::DeliveryMeter meter_;
  delivery::DestinationMeter destinations_;
  delivery::WorkReport report_;
  delivery::RefusedRecords* refused_ = nullptr;
  std::function<absl::Status()> beside_, beside_flush_;
  std::function<int()> beside_fd_;
  std::optional<Refused> unsettled_;
  std::optional<absl::Duration> turned_;  // absent: it owns nothing
  bool doubts_ = false;
};

}  // namespace walduct::poll
