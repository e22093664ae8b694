// ReadPace: whether a source that is empty is waited for or left alone for a while.
//
// A walsender sends message by message, and a send that wakes a waiting reader costs both of them
// more than the message itself. A stream that flows is therefore left to pile up for a moment
// before it is read again; one that has paused is waited for, so that what comes after a pause is
// read at once. How much may pile up, and where, is a matter of the path. Pure; data thread only.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/time/time.h"
#include "replication/socket/receive_window.h"

namespace walduct::slot {

class ReadPace {
 public:
  struct Answer {
    enum class Kind : uint8_t {
      kWait,  // for the source, however long
      kMore,  // for the source, which has more on its way: kPause at most
      kNap,   // without a look at the source
    };
    Kind kind = Kind::kWait;
    absl::Duration nap;
  };

  // A stream flows when it gave so many frames, more than a transaction of one row has, without
  // being waited for so long.
  static constexpr int kFlowFrames = 4;
  static constexpr absl::Duration kPause = absl::Milliseconds(1);

  static constexpr absl::Duration kShortestNap = absl::Microseconds(125);
  // What a nap should bring, and how long it may be: the most that a change can be late because of
  // the pace.
  struct Pile {
    size_t little = 0;  // a longer nap
    size_t much = 0;    // a shorter one
    absl::Duration longest;
  };
  // In frames. More could fill the buffer of a unix socket, and the server would wait for us.
  static constexpr Pile kFrames = {.little = 48, .much = 96, .longest = absl::Milliseconds(1)};
  // In bytes, on a near path: several times its window, far from what the server's socket holds.
  static constexpr Pile kBytes = {
      .little = 512 << 10, .much = 2 << 20, .longest = absl::Milliseconds(6)};
  // A flood is so many in a millisecond, some thousand transactions a second. Below, a nap is not
  // longer than on other paths: little is gained, and changes are late.
  static constexpr size_t kFloodFrames = 8;
  // No trickle of single messages gives so much at once: the window was full, and what has gathered
  // behind it follows.
  static constexpr size_t kMoreBytes = 16 << 10;

  explicit ReadPace(replication::ReceivePath path)
      : near_(path == replication::ReceivePath::kNear) {}

  // The source gave so many frames, and so many bytes, since it was last empty, and is empty now
  // (monotonic).
  Answer OnEmpty(int frames, size_t bytes, absl::Duration now);

 private:
  struct Piled {
    size_t frames = 0, bytes = 0;
  };
  Answer Nap(size_t piled, const Pile& wanted);
  bool Floods(size_t frames) const;

  const bool near_;
  absl::Duration last_;
  bool waited_ = true;  // whether the last answer was no nap
  absl::Duration nap_ = kShortestNap;
  int flow_ = 0;  // frames without a pause, up to kFlowFrames
  Piled piled_;   // since the last nap
};

}  // namespace walduct::slot
