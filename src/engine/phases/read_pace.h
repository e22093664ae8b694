// ReadPace: whether the source is waited for or napped over once it is empty.
//
// A walsender sends message by message, and a send that wakes a waiting reader costs both of them
// more than the message itself. A stream that flows is therefore left to pile up for a moment
// before it is read again; one that has paused is waited for, so that what comes after a pause is
// read at once. Pure; data thread only.
#pragma once

#include "absl/time/time.h"

namespace walduct::engine {

class ReadPace {
 public:
  // A nap is the most that a change can be late because of the pace.
  static constexpr absl::Duration kShortestNap = absl::Microseconds(125);
  static constexpr absl::Duration kLongestNap = absl::Milliseconds(1);
  // A stream flows when it gave so many frames, more than a transaction of one row has, without
  // being waited for so long.
  static constexpr int kFlowFrames = 4;
  static constexpr absl::Duration kPause = absl::Milliseconds(1);
  // A nap should bring so many: more could fill the buffer of a unix socket, and the server would
  // wait for us.
  static constexpr int kFewFrames = 64;
  static constexpr int kManyFrames = 128;

  // The source gave so many frames since it was last empty, and is empty now (monotonic). How long
  // to leave it alone; zero: wait for it.
  absl::Duration OnEmpty(int frames, absl::Duration now);

 private:
  absl::Duration last_;
  bool waited_ = true;  // what the last answer was
  absl::Duration nap_ = kShortestNap;
  int flow_ = 0;  // frames without a pause, up to kFlowFrames
};

}  // namespace walduct::engine
