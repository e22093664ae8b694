// Ownership: is this instance still the one that may publish what its slot gives? The server lets
// one session stream from a slot, so that holding the stream is the proof, as long as this process
// runs: it sees within a beat that the stream has ended. One that stood still (SIGSTOP, a frozen
// container, a suspended machine) may have been replaced meanwhile, and still has in its buffers
// what the server sent before. So the loop beats, sink and store send on a lease that each beat
// renews (kafka::SendPermit), and after a standstill the server is asked before it is renewed and
// before anything is read. Data thread only.
#pragma once

#include <functional>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "offset/offset_store.h"
#include "sink/sink.h"

namespace walduct::slot {

class Ownership {
 public:
  // The loop turns at least this often.
  static constexpr absl::Duration kBeat = absl::Milliseconds(100);
  // A loop that is later than this counts as having stood still. Not longer than the lease, so that
  // the server is asked whenever the lease has run out.
  static constexpr absl::Duration kStandstill = absl::Milliseconds(300);

  struct Parts {
    Clock* clock = nullptr;
    // Asks the server whether the slot is still this session's; see Source::CheckSlotHeld. Empty:
    // nobody else can have it.
    std::function<absl::Status()> check;
    // Whether what keeps others from the slot is there while no stream does, as far as it shows
    // without asking; see Source::CheckSlotSession. Empty: there is always a stream.
    std::function<absl::Status()> session;
    // Borrowed.
    sink::Sink* sink = nullptr;  // null: nothing is published
    offset::OffsetStore* store = nullptr;
  };
  explicit Ownership(Parts parts) : parts_(std::move(parts)) {}

  // With each turn of the loop, before anything is read, written or stored. An error: the session
  // has to end without publishing anything more.
  absl::Status Beat();
  // The stream has ended: what has been sent may still be acknowledged, nothing more is sent once
  // the lease has run out.
  void Lose() { lost_ = true; }
  bool lost() const { return lost_; }

 private:
  absl::Status CheckAfter(absl::Duration standstill);

  const Parts parts_;
  std::optional<absl::Duration> last_;  // beat
  bool lost_ = false;
};

}  // namespace walduct::slot
