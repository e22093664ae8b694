// Mailbox: commands to a connector. Posted by any thread, taken by the data thread once a turn;
// while there is nothing to take, that costs it one atomic load.
//
// Holds each command at most once: posting one again moves it behind the others, which changes
// nothing about what they come to together. So it needs no other bound.
#pragma once

#include <atomic>
#include <vector>

#include "base/mutex.h"
#include "base/wake.h"

namespace walduct::engine {

// What they mean in each state: engine/README.md.
enum class Command {
  kStart,    // run, also after a failure
  kPause,    // stop reading until resumed
  kResume,   // undo a pause or a stop
  kRestart,  // stop, then start anew from the stored position; also after a failure
  kStop,     // settle and end
  kQuit,     // stop; no further command is taken
};

class Mailbox {
 public:
  // Any thread.
  void Post(Command command);

  // The data thread: all commands, oldest first, and none is left.
  std::vector<Command> TakeAll();
  // Readable while there is something to take.
  int fd() const { return wake_.fd(); }

 private:
  std::atomic<bool> filled_{false};
  Wake wake_;
  Mutex mutex_;
  std::vector<Command> commands_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace walduct::engine
