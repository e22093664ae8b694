// Housekeeping: the duties of the data loop that must go on whatever the source or the sink are
// doing: drain acknowledgements, store the position, tell PostgreSQL what is stored, answer
// keepalives, take commands. Data thread only.
//
//   flush LSN reported  ≤  stored offset  ≤  tracker's safe position  ≤  received
#pragma once

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/environment.h"
#include "delivery/pipeline/pipeline.h"
#include "delivery/pipeline/refused_records.h"
#include "delivery/progress/delivery_meter.h"
#include "delivery/progress/work_report.h"
#include "delivery/settling/ack_tracker.h"
#include "delivery/settling/commit_points.h"
#include "delivery/settling/destination_meter.h"
#include "engine/control/control.h"
#include "engine/control/status_board.h"
#include "replication/wal_source.h"
#include "sink/sink.h"
#include "slot/duties/checkpointer.h"
#include "slot/duties/outbox_duties.h"
#include "slot/duties/ownership.h"
#include "slot/duties/session_watch.h"
#include "slot/duties/stall_watch.h"

namespace walduct::slot {

class Housekeeping final : public delivery::RoomWaiter, public sink::AckHandler {
 public:
  // All borrowed.
  struct Parts {
    Clock* clock = nullptr;
    Poller* poller = nullptr;
    sink::Sink* sink = nullptr;
    delivery::AckTracker* tracker = nullptr;
    offset::OffsetStore* store = nullptr;
    Checkpointer* checkpointer = nullptr;
    engine::Control* control = nullptr;
    engine::StatusBoard* board = nullptr;
    metrics::ConnectorMetrics* metrics = nullptr;
    OutboxDuties* outbox = nullptr;
    Ownership* ownership = nullptr;
    event::SchemaIdSources schema_ids = {};
  };
  explicit Housekeeping(const Parts& parts)
      : parts_(parts),
        commits_(parts.sink->transactions(), parts.tracker, parts.checkpointer),
        meter_({.clock = parts.clock,
                .sink = parts.sink,
                .tracker = parts.tracker,
                .metrics = parts.metrics}),
        destinations_(&parts.metrics->destinations, parts.clock),
        report_(*parts.clock, *parts.metrics) {}

  // From now on status updates go to source, at least every interval. session: beside the stream;
  // null: none. confirms: whether they move the slot.
  void AttachStream(replication::WalSource* source, absl::Duration status_interval,
                    SessionWatch* session = nullptr, bool confirms = true);
  // The source is about to go.
  void DetachStream();
  // Borrowed; watch is notified each turn from now on, refused gets what the sink hands back. Null
  // (as at first): the sink breaks with it.
  void SetWatches(StallWatch* watch, delivery::RefusedRecords* refused) {
    stall_ = watch;
    refused_ = refused;
  }

  // One turn; call it between batches of frames.
  absl::Status Turn();
  // Waits until something may be done: source_fd (−1: none) readable, an acknowledgement, a
  // deadline, a command.
  void Wait(int source_fd, absl::Duration at_most);

  // For a moment, whatever is acknowledged meanwhile; source_fd (−1: none) ends it.
  void Nap(int source_fd, absl::Duration nap);

  // They wake each Wait and Nap, too; -1: none.
  void WatchBeside(int chunks_fd, int signals_fd) { beside_fds_ = {chunks_fd, signals_fd}; }

  void OnReceived(Lsn lsn) {
    received_ = std::max(received_, lsn);
    reading_.heard = true;
  }
  // One that is no keepalive, for the first time or again.
  void OnFrame() { ++frames_; }
  // A batch was read. empty: down to the last message that was there.
  void OnBatch(bool empty) { reading_.unread = !empty; }
  // The server wants an answer, or we want its position.
  void ReplySoon() { status_due_ = absl::ZeroDuration(); }
  void AskForReply();

  // Flushes the sink, stores the safe position and reports it; all within timeout, of which the
  // larger part is the sink's: what it has acknowledged is stored even when the rest never is.
  absl::Status Settle(absl::Duration timeout);
  // Waits until everything written is acknowledged and stored, however long that takes; an
  // interruption cuts it short like Settle.
  absl::Status Drain(absl::Duration stop_timeout);

  absl::Status WaitForRoom() override;
  absl::Status WaitForSchemaId() override;
  void OnAcknowledged(sink::Ticket ticket, uint32_t count) override;
  absl::Status OnRefused(const event::Record& record, sink::Ticket ticket,
                         const absl::Status& why) override;

  delivery::DestinationMeter& destinations() { return destinations_; }

  // The session has to end.
  bool interrupted() const { return parts_.control->interrupted(); }
  // Whether something may be read now; says so on the board. False: WaitToRead.
  bool MayRead(engine::WaitReason otherwise = engine::WaitReason::kNothing);
  void WaitToRead();
  // As Wait, while the stream is not read, for something else.
  void WaitUnread(int fd, absl::Duration at_most);
  // A transaction of the sink is to end here, before more is read.
  bool MustCommit() const { return commits_.MustCommit(); }

 private:
  absl::Status StorePosition();
  absl::Status SendStatusIfDue();
  absl::Status PollSink();
  absl::Status CheckUnreadStream(bool unread);
  absl::Status FlushUntil(absl::Duration deadline);
  void ShowPositions();
  void Measure();
  bool HasPassedError() const;
  void AskIfSilent(bool unread);
  std::optional<absl::Duration> UnansweredSince() const;
  absl::Status SettleWithin(absl::Duration timeout);
  Lsn FlushLsn() const;

  Parts parts_;
  delivery::CommitPoints commits_;
  delivery::DeliveryMeter meter_;
  delivery::DestinationMeter destinations_;
  delivery::WorkReport report_;
  replication::WalSource* source_ = nullptr;
  SessionWatch* session_ = nullptr;
  StallWatch* stall_ = nullptr;
  delivery::RefusedRecords* refused_ = nullptr;
  engine::WaitReason reads_ = engine::WaitReason::kNothing;  // what the reading waits for
  delivery::DeliveryMeter::Reading reading_;
  bool delivered_ = false;  // something was acknowledged
  // When the server said something last, and was asked to, where it has said nothing since.
  absl::Duration heard_at_, ask_again_at_;
  absl::Duration turned_at_;  // when that was looked at last
  std::optional<absl::Duration> asked_at_;
  absl::Duration status_interval_ = absl::Seconds(10);
  absl::Duration status_due_;
  Lsn received_;
  uint64_t frames_ = 0;
  Lsn reported_;
  std::array<int, 2> beside_fds_{-1, -1};
  bool confirms_ = true;
  bool ask_for_reply_ = false;
  bool unread_ = false;  // nothing is read since the last turn, so that nobody sees the stream end
};

}  // namespace walduct::slot
