// CleanupThread: housekeeping beside a running connector, on a thread and a session of its own, so
// that the data thread never waits for it. What fails is counted, logged once and tried again at
// the next round; it never stops the connector.
//
// Each round takes a fence (fence.h) and uses the last one that has been acknowledged since. The
// session is closed between rounds that are far apart. On another server than the attempt began
// with, nothing is cleaned: the stream breaks there, too, and the next attempt has a thread of its
// own.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "base/mutex.h"
#include "base/worker_thread.h"
#include "metrics/connector_metrics.h"
#include "outbox/cleaner.h"

namespace walduct::names {
class TableFilter;
}  // namespace walduct::names

namespace walduct::postgres {
struct DatabaseOptions;
}  // namespace walduct::postgres

namespace walduct::outbox {

struct OutboxOptions;

class CleanupThread {
 public:
  // Borrowed pointers must outlive the thread.
  struct Options {
    std::string connector;  // its name
    const OutboxOptions* outbox = nullptr;
    const postgres::DatabaseOptions* database = nullptr;
    const names::TableFilter* captured = nullptr;
    metrics::ConnectorMetrics* metrics = nullptr;
    std::string publication;
    std::string server_started;     // ServerMark's, when the attempt began
    TableMemory* memory = nullptr;  // of the thread, while it runs
    Environment environment;
  };
  // Its end cancels what runs, within seconds.
  explicit CleanupThread(Options options);

  // Everything that committed at or before lsn has been acknowledged by the sink and is stored.
  // Thread-safe, wait-free.
  void SetAcknowledged(Lsn lsn) { acknowledged_.store(lsn.value(), std::memory_order_relaxed); }

 private:
  void Run();
  absl::Status Round();
  absl::Status Open();
  void Promote();
  void Count(const Removed& removed, const absl::Status& status);
  bool stopping() const { return thread_.stopping(); }

  const Options options_;
  std::atomic<uint64_t> acknowledged_{0};
  Mutex mutex_;

  // Of the thread alone.
  std::unique_ptr<postgres::Connection> connection_;
  std::optional<Fence> taken_;  // not known to be acknowledged yet
  std::optional<Fence> acknowledged_fence_;
  std::string last_error_;
  std::optional<absl::Duration> failed_at_;  // when that was said
  uint64_t unsaid_rows_ = 0;                 // deleted, and not in the log yet
  std::optional<absl::Duration> said_;
  WorkerThread thread_;  // last: uses all of the above
};

}  // namespace walduct::outbox
