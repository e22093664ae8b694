// BackgroundStatement: one SQL statement run again and again on a session and a thread of its own,
// so that whoever asks for it never waits. A failure is logged, and again every ten minutes until
// it works, and forgotten: the session is opened anew for the next run when it is broken.
//
// Thread-safety: Request from any thread. The destructor cancels what runs and waits for the
// thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "base/worker_thread.h"
#include "postgres/connection.h"

namespace walduct::postgres {

class BackgroundStatement {
 public:
  // A session that ends a statement when stopping says so; on the thread.
  using Open = std::function<absl::StatusOr<std::unique_ptr<Connection>>(const StopCheck&)>;

  struct Options {
    Open open;
    Clock* clock;  // borrowed
    std::string sql;
    std::string what;       // names it in the log
    std::string connector;  // whose log lines these are
    // After each run, on its thread; null: nobody is told.
    std::function<void(const absl::Status&)> told = nullptr;
  };
  explicit BackgroundStatement(Options options);

  // Returns at once. While one run goes on, any number of requests make one more.
  void Request();

  uint64_t runs() const { return runs_.load(); }
  uint64_t failures() const { return failures_.load(); }

 private:
  void Loop();
  bool AwaitRequest();
  absl::Status RunOnce();
  void Report(const absl::Status& status);

  const Options options_;
  Mutex mutex_;
  bool requested_ ABSL_GUARDED_BY(mutex_) = false;
  std::atomic<uint64_t> runs_{0};
  std::atomic<uint64_t> failures_{0};
  // The thread's own.
  std::unique_ptr<Connection> connection_;
  bool failing_ = false;
  std::optional<absl::Duration> said_at_;  // that it fails

  WorkerThread thread_;  // last: uses all of the above
};

}  // namespace walduct::postgres
