// InternalRequests: what one worker of a group asks of another, and how it is signed.
//
// Connect's own (POST …/tasks, PUT …/fence) are signed as Connect signs them, by their body, and
// have to be. What is sent on for a client is that client's request: it has its password, which is
// asked for; its signature, over method, path, query and body, says that it came from this group as
// it was sent. One without is any client's, as with Connect, and of older workers.
//
// Thread-safety: any thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "access/session_keys.h"
#include "admin/worker_board.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "http/message.h"

namespace walduct::serve {

// Path and query, encoded in one way whoever sends them.
std::string TargetOf(const std::string& path, const std::multimap<std::string, std::string>& query);
// What is signed of a request that is sent on.
std::string ForwardedText(const http::Request& request);

class InternalRequests {
 public:
  // All borrowed. keys null: there are none. board null: nobody counts.
  InternalRequests(const access::SessionKeys* keys, admin::WorkerBoard* board, Clock* clock)
      : keys_(keys), board_(board), clock_(clock) {}

  // The answer, in Connect's words, to one that is not signed right; it is counted and told in the
  // log, once a minute. Absent: go on.
  std::optional<http::Response> Refused(const http::Request& request, absl::string_view text);

 private:
  void Tell(const http::Request& request, absl::string_view why, absl::string_view answer);

  const access::SessionKeys* const keys_;
  admin::WorkerBoard* const board_;
  Clock* const clock_;
  Mutex mutex_;
  absl::Duration told_ ABSL_GUARDED_BY(mutex_) = -absl::InfiniteDuration();
  uint64_t untold_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace walduct::serve
