// StallWatch: nothing stands still in silence. When what is to be done makes no progress for a
// while (records that are not acknowledged, a position that is not stored, a table that cannot be
// described or read, WAL that the server does not send, a server that does not answer), a line says
// what is waited for, since when and what that costs, again and again; the board and the metrics
// say it, too. Data thread only.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "delivery/settling/ack_tracker.h"
#include "engine/control/status_board.h"
#include "event/schema_ids.h"
#include "metrics/connector_metrics.h"
#include "sink/sink.h"
#include "slot/duties/checkpointer.h"
#include "slot/world/watch/server_view.h"

namespace walduct::slot {

class StallWatch {
 public:
  // All borrowed.
  struct Parts {
    absl::Duration patience;  // zero: never warns
    Clock* clock = nullptr;
    engine::StatusBoard* board = nullptr;
    metrics::ConnectorMetrics* metrics = nullptr;
    sink::Sink* sink = nullptr;
    const delivery::AckTracker* tracker = nullptr;
    const Checkpointer* checkpointer = nullptr;
    std::function<ServerView()> server;  // empty: nobody looks
    event::SchemaIdSources schema_ids = {};
  };
  explicit StallWatch(Parts parts) : parts_(std::move(parts)) {}
  // What it has shown ends with it: who comes next has seen no progress, and none missing.
  ~StallWatch();
  StallWatch(const StallWatch&) = delete;
  StallWatch& operator=(const StallWatch&) = delete;

  // Of WAL that is not received: a server that decodes a large transaction is silent meanwhile.
  static constexpr uint64_t kMuchWal = 16u << 20;

  // beside: of no change. Heartbeats come and go whatever else stands still.
  void OnAcknowledged(uint32_t count, bool beside = false) {
    (beside ? acknowledged_beside_ : acknowledged_) += count;
  }
  // What the standby of a snapshot is waited for; empty: for nothing.
  void AwaitStandby(std::string what) { standby_cause_ = std::move(what); }
  struct Reading {
    Lsn received;                                             // on the stream
    engine::WaitReason reads = engine::WaitReason::kNothing;  // what the reading waits for
    uint64_t frames = 0;  // that were read, from the stream or the spill file, but for keepalives
    // The stream was not read since the last turn, for the sink has no room as a rule.
    bool unread = false;
    // On the monotonic clock: the server has said nothing since, though it was asked to.
    std::optional<absl::Duration> unanswered_since = {};
  };
  // Call it each turn.
  void Turn(const Reading& reading);

 private:
  // One kind of work, and since when it has made no progress.
  struct Lane {
    std::optional<absl::Duration> since = {};
    uint64_t marker = 0;
    // Whether it stands still for longer than patience.
    bool Stands(bool has_work, uint64_t progress, absl::Duration now, absl::Duration patience);
  };
  // The lane that stands still, if one does.
  const Lane* Find(const ServerView& server, const Reading& reading, absl::Duration now);
  absl::string_view KindOf(const Lane& lane) const;
  std::string SchemaIdCause() const;
  std::string SnapshotTableNow() const;
  bool Delivers() const;
  uint64_t DeliveredCount() const;
  std::string CauseOf(const Lane& lane, const ServerView& server, Lsn received);
  std::string HintOf(const Lane& lane, const ServerView& server) const;
  // Whether it waits for a lock, and who holds it is known.
  bool KnowsLock(const Lane& lane, const ServerView& server) const {
    return (&lane == &catalog_ || &lane == &rows_) && !server.lock.empty();
  }
  void Say(const Lane& lane, const ServerView& server, Lsn received, absl::Duration now);
  void OnProgress(absl::Duration now);

  const Parts parts_;
  uint64_t acknowledged_ = 0, acknowledged_beside_ = 0;
  absl::Duration next_look_, next_line_;
  Lane catalog_, schema_id_, delivery_, room_, store_, wal_, rows_, standby_, silence_;
  std::string standby_cause_;
  std::optional<absl::Duration> stalled_since_;
  absl::string_view said_kind_;
  bool said_lock_ = false;  // and who holds it
};

}  // namespace walduct::slot
