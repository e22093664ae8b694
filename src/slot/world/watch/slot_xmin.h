// SlotXmin: catalog_xmin of the slot (xmin.fetch.interval.ms), read again and again on a session
// and a thread of its own. While the server does not answer the last value stays.
//
// Thread-safety: value from any thread. The destructor cancels what runs and waits for the thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/mutex.h"
#include "base/worker_thread.h"
#include "postgres/connection.h"

namespace walduct::slot {

// Absent: there is no such slot.
absl::StatusOr<std::optional<uint64_t>> ReadSlotXmin(postgres::Connection& sql,
                                                     const std::string& slot);

class SlotXmin {
 public:
  struct Options {
    // A session; gives up connecting, and statements, once `stopping` says so.
    std::function<absl::StatusOr<std::unique_ptr<postgres::Connection>>(postgres::StopCheck)> open;
    std::string slot;
    std::string connector;  // whose log lines these are
    absl::Duration interval;
    uint64_t first = 0;  // as it was read before
  };
  explicit SlotXmin(Options options);

  uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  void Loop();
  absl::Status Read();

  const Options options_;
  Mutex mutex_;
  std::atomic<uint64_t> value_;
  // The thread's own.
  std::unique_ptr<postgres::Connection> connection_;
  bool failing_ = false;

  WorkerThread thread_;  // last: uses all of the above
};

}  // namespace walduct::slot
