// SessionWatch: notices that the server ends its sessions while the stream goes on. A server that
// shuts down keeps a walsender until its client has confirmed all it was sent; with a broker that
// is stuck that is never, and the shutdown hangs for as long as the client answers. So the stream
// is given up, after a moment in which what is on its way may still be confirmed. Data thread only.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/clock.h"

namespace walduct::slot {

class SessionWatch {
 public:
  static constexpr absl::Duration kGrace = absl::Seconds(3);

  // clock is borrowed. check: OK while the session beside the stream is there; never waits.
  SessionWatch(Clock& clock, std::function<absl::Status()> check)
      : clock_(clock), check_(std::move(check)) {}

  // Call it each turn. Unavailable, with the session's reason, when the stream is to be closed.
  absl::Status Turn();
  // The session has ended: nobody must wait for the stream.
  bool lost() const { return lost_at_.has_value(); }

 private:
  Clock& clock_;
  const std::function<absl::Status()> check_;
  absl::Duration next_check_;
  std::optional<absl::Duration> lost_at_;
  absl::Status why_;
};

}  // namespace walduct::slot
