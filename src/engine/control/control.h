// Control: what others want of a connector, as its data thread sees it: the commands taken so far
// and what they come to. Also the one that says PAUSED and RUNNING of a pause that is held.
// Data thread only.
//
// A pause ends the session like a stop, settled and stored: the slot is released and nobody waits
// for our answers, so that a server can be shut down or fail over while a connector is paused.
// Where ending would cost what was read so far (a snapshot under way, a temporary slot), the pause
// is held instead: nothing is read, but the session and its duties go on.
#pragma once

#include "engine/control/mailbox.h"
#include "engine/control/status_board.h"

namespace walduct::engine {

class Control {
 public:
  // Borrowed.
  Control(Mailbox& mailbox, StatusBoard& board) : mailbox_(mailbox), board_(board) {}

  // Takes what was posted; call it each turn.
  void Take();
  // Readable when Take may have something.
  int fd() const { return mailbox_.fd(); }

  // The session has to end now.
  bool interrupted() const {
    return quit_ || restart_ || target_ == Target::kStopped ||
           (target_ == Target::kPaused && !holds_pauses_);
  }
  // Nothing may be read now.
  bool holding() const { return target_ == Target::kPaused && !interrupted(); }
  // Whether a pause is held from now on.
  void HoldPauses(bool hold);

  bool runs() const { return target_ == Target::kRunning && !failed_ && !quit_; }
  bool stops() const { return quit_ || target_ == Target::kStopped; }
  bool pauses() const { return target_ == Target::kPaused; }
  bool quits() const { return quit_; }
  bool failed() const { return failed_; }

  // The connector ended by itself: kStart runs it again, kRestart too after a failure.
  void OnGoalReached() { target_ = Target::kStopped; }
  void OnFailed() { failed_ = true; }
  // The wish to restart has been met by ending the session.
  bool TakeRestart();

 private:
  enum class Target { kStopped, kRunning, kPaused };
  void Apply(Command command);
  void ShowHold();

  Mailbox& mailbox_;
  StatusBoard& board_;
  Target target_ = Target::kStopped;
  bool restart_ = false;
  bool failed_ = false;
  bool quit_ = false;
  bool holds_pauses_ = false;
  bool held_ = false;  // as the board says
};

}  // namespace walduct::engine
