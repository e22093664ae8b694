// Checkpointer: decides when the safe position is stored and says what is stored. What it calls
// stored, and nothing further, may be reported to PostgreSQL. Never blocks. Data thread only.
#pragma once

#include <optional>
#include <string>

#include "absl/time/time.h"
#include "base/clock.h"
#include "event/position.h"
#include "offset/offset_store.h"

namespace walduct::engine {

class Checkpointer {
 public:
  struct Options {
    offset::OffsetStore* store = nullptr;  // borrowed
    Clock* clock = nullptr;
    absl::Duration interval;
    std::string system_identifier;
    uint32_t timeline = 0;
    bool transaction_id = false;  // see offset::StoredOffset
  };
  // stored: what the store held at the start.
  Checkpointer(Options options, std::optional<event::Position> stored);

  // Polls a save under way, starts one when due and safe has moved. A failed save is logged once
  // and tried again.
  void Turn(const std::optional<event::Position>& safe);

  // The next Turn saves whatever has moved.
  void MakeDue() { next_due_ = absl::ZeroDuration(); }
  // Everything up to safe is stored.
  bool Covers(const std::optional<event::Position>& safe) const;
  const std::optional<event::Position>& stored() const { return stored_; }
  // When Turn should be called next, on the monotonic clock; the store's ready_fd() wakes earlier.
  absl::Duration next_due() const { return saving_ ? absl::InfiniteDuration() : next_due_; }
  // Why the last save failed; OK when it did not.
  const absl::Status& last_error() const { return last_error_; }

 private:
  void Finish(const absl::Status& status);

  Options options_;
  std::optional<event::Position> stored_;
  std::optional<event::Position> saving_;
  absl::Duration next_due_;
  absl::Status last_error_;
};

}  // namespace walduct::engine
