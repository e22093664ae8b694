// OutboxDuties: tells the housekeeping of outbox tables, where there is one, what is stored. Data
// thread only.
#pragma once

#include <memory>
#include <utility>

#include "event/position.h"
#include "outbox/cleanup_thread.h"

namespace walduct::slot {

class OutboxDuties {
 public:
  // The stream begins. Null: nothing is to be cleaned.
  void Start(std::unique_ptr<outbox::CleanupThread> thread) { thread_ = std::move(thread); }
  // The session's stored position.
  void OnStored(const event::Position& position) {
    // Rows of a running snapshot lie before its consistent point and are not all acknowledged.
    if (thread_ == nullptr || position.snapshot == event::SnapshotPhase::kRunning) return;
    thread_->SetAcknowledged(position.commit_end);
  }
  // Ends the thread, if it runs.
  void Stop() { thread_.reset(); }

 private:
  std::unique_ptr<outbox::CleanupThread> thread_;
};

}  // namespace walduct::slot
