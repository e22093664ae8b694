// TargetWait: what a sink waits for that connects to its target itself: since when, until when it
// asks no more, and what is said of it. One line in the log when it begins, for each reason, and
// one when it is over. Also whether it may send at all (kafka::SendPermit). Data thread only.
#pragma once

#include <optional>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/backoff.h"
#include "base/environment.h"
#include "sink/sink.h"

namespace walduct::sink {

class TargetWait {
 public:
  // who: "NATS". first, most: pauses before it is connected to again.
  TargetWait(absl::string_view who, const Environment& environment, absl::Duration first,
             absl::Duration most);

  // quiet: no line tells of it, nor of its end.
  void Begin(const absl::Status& why, absl::Duration pause, bool quiet = false);
  // It takes records.
  void End();
  absl::Duration NextPause() { return backoff_.Next(); }

  // OK: it waits for nothing.
  const absl::Status& why() const { return why_; }
  // Until the target is to be asked again; not positive: now.
  absl::Duration left() const { return until_ - environment_.clock->Monotonic(); }

  // What Sink::WaitingFor and Sink::WaitingHint answer. otherwise: while it waits for nothing.
  std::string For(absl::string_view otherwise) const;
  std::string Hint() const;

  // What Sink::Flush does: polls until all is settled. otherwise: as above, of the error.
  absl::Status Flush(Sink& sink, AckHandler& acks, absl::FunctionRef<bool()> settled,
                     absl::string_view otherwise, absl::Duration timeout) const;

  void RenewPermit() { permit_ = environment_.clock->Monotonic(); }
  // A process that was stopped for a while asks first whether it is still the one that writes.
  bool MaySend() const;

 private:
  const std::string who_;
  const Environment environment_;
  Backoff backoff_;
  absl::Status why_;
  bool quiet_ = false;
  absl::Duration since_, until_;
  std::optional<absl::Duration> permit_;
};

}  // namespace walduct::sink
