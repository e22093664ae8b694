// Checkpointer: what "durable" means to a slot. Decides when the safe position is stored and says
// what is stored. That, and nothing further, may be reported to PostgreSQL. Never blocks. Data
// thread only.
//
// Records that have been delivered are stored soon: what a crash repeats is what lies between. How
// soon depends on what a save costs, so that a slow disk does not slow the stream down. A position
// that moves without records (a keepalive) waits for the interval: nothing is repeated without it.
// An interval of zero stores at every acknowledgement, as Debezium's engine does.
#pragma once

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "delivery/settling/settler.h"
#include "engine/control/status_board.h"
#include "offset/offset_store.h"
#include "slot/duties/ledger.h"

namespace walduct::slot {

class Checkpointer final : public delivery::Settler {
 public:
  // Between two saves that follow deliveries at least this, and at least kCostFactor times what the
  // last one blocked, but never more than the interval.
  static constexpr absl::Duration kSoon = absl::Milliseconds(200);
  static constexpr int kCostFactor = 20;
  // With an interval of zero: for what moves without records.
  static constexpr absl::Duration kIdleInterval = absl::Seconds(10);
  // If saving fails for longer, it is logged as an error repeatedly.
  static constexpr absl::Duration kPatience = absl::Seconds(30);
  static constexpr absl::Duration kRepeat = absl::Minutes(1);
  // A save that takes longer, or has failed, is doubted: the place of positions may be gone, which
  // the save does not always say. Asked again so often; an answer counts for so long.
  static constexpr absl::Duration kLong = absl::Seconds(5);
  static constexpr absl::Duration kAskAgain = absl::Milliseconds(500);
  static constexpr absl::Duration kBelieved = absl::Seconds(10);

  struct Options {
    offset::OffsetStore* store = nullptr;  // borrowed
    Clock* clock = nullptr;
    absl::Duration interval;  // zero: at every acknowledgement
    // What each position is stored with; snapshot_seen until the position is there, skip until its
    // transaction is behind.
    offset::StoredOffset base = {};
    engine::StatusBoard* board =
        nullptr;  // borrowed; shows why nothing is stored; null: nobody looks
    // A save commits a transaction of the sink: it is due with the records in it, whether the
    // position has moved or not, and one that fails ends the session.
    bool commits = false;
    absl::Duration soon = kSoon;
    Ledger* ledger = nullptr;  // borrowed; null: nothing goes with a position
  };
  // stored: what the store held at the start.
  Checkpointer(Options options, std::optional<event::Position> stored);

  // A failed save is tried again, and logged when it begins to fail and while it lasts.
  absl::Status Turn(const std::optional<delivery::Milestone>& safe) override;

  // A snapshot has shown the database up to here.
  void OnSnapshot(Lsn seen) { options_.base.snapshot_seen = seen; }
  void OnDelivered() override { delivered_ = true; }
  // The next Turn saves whatever has moved.
  void MakeDue() { next_due_ = absl::ZeroDuration(); }
  bool Covers(const std::optional<delivery::Milestone>& safe) const override;
  const std::optional<delivery::Milestone>& stored() const { return stored_; }
  // What goes with positions of that mark is stored.
  uint64_t stored_mark() const { return stored_ ? stored_->mark : 0; }
  // The store's ready_fd() wakes earlier.
  absl::Duration next_due() const override;
  // A save is under way, or the last one failed and something is left to be stored.
  bool busy(const std::optional<delivery::Milestone>& safe) const {
    return saving_ || (!last_error_.ok() && !Covers(safe));
  }
  bool saving() const override { return saving_.has_value(); }
  uint64_t saves() const override { return saves_; }
  // Why the last save failed; OK when it did not.
  const absl::Status& last_error() const { return last_error_; }
  // The last save failed, or the one under way has been said to get no answer.
  bool fails() const { return !last_error_.ok() || silent_; }

 private:
  void Start(const delivery::Milestone& safe, absl::Duration now);
  void Finish(const absl::Status& status);
  void Doubt(absl::Duration now);
  absl::Status Told(const absl::Status& error) const;
  void TellOfFailure(absl::string_view what, const absl::Status& error);
  void ReportTrouble(const delivery::Milestone& safe, absl::Duration now);
  bool IsFinal(const absl::Status& status) const;
  absl::Status FinalError() const;

  // What is left until the next save of what was delivered, after one that blocked so long.
  absl::Duration Soon(absl::Duration blocked) const;

  Options options_;
  const bool at_once_;  // an interval of zero
  std::optional<delivery::Milestone> stored_;
  std::optional<delivery::Milestone> saving_;
  bool delivered_ = false;                        // since the last save began
  absl::Duration soon_due_;                       // for what was delivered
  absl::Duration next_due_;                       // for whatever moved
  std::optional<absl::Duration> unstored_since_;  // a save has failed or not answered
  absl::Duration report_due_, doubt_due_;
  std::optional<absl::Duration> gone_at_;  // the place was found gone; last_error_ says so
  bool silent_ = false;                    // the save under way has no answer, and that was said
  absl::Status last_error_;
  uint64_t saves_ = 0;
};

}  // namespace walduct::slot
