// StartTurns: of many connectors of a process that start at once, a few at a time. Each start takes
// the database server, Kafka and this process tens of milliseconds of CPU time: hundreds at once
// keep all three from answering in time, whereupon all of them start again.
//
// A start that takes longer than kLongest waits for something else, or for a far server: it is not
// counted any more, so that none is held up for ever, whatever holds up the others.
//
// Thread-safety: any thread.
#pragma once

#include <functional>
#include <memory>
#include <set>

#include "absl/time/time.h"
#include "base/clock.h"
#include "base/mutex.h"

namespace walduct::engine {

class Host;
class StatusBoard;

class StartTurns {
 public:
  static constexpr size_t kAtOnce = 16;
  static constexpr absl::Duration kLongest = absl::Seconds(1);

  explicit StartTurns(Clock& clock) : clock_(clock) {}

  // As long as it lives a start is under way.
  class Turn {
   public:
    ~Turn();

   private:
    friend StartTurns;
    Turn(StartTurns* turns, absl::Duration begun) : turns_(turns), begun_(begun) {}

    StartTurns* const turns_;
    const absl::Duration begun_;
  };
  // Null: so many are under way.
  std::unique_ptr<Turn> Take();

 private:
  Clock& clock_;
  Mutex mutex_;
  std::multiset<absl::Duration> under_way_ ABSL_GUARDED_BY(mutex_);  // since when
};

// A turn of the host's, waited for, and shown on the board meanwhile; null: there are none to take,
// or stops said so.
std::unique_ptr<StartTurns::Turn> AwaitTurn(Host& host, StatusBoard& board,
                                            const std::function<bool()>& stops);

}  // namespace walduct::engine
