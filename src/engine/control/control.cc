#include "engine/control/control.h"

#include <utility>

#include "base/log.h"

namespace walduct::engine {

void Control::Take() {
  board_.Beat();
  for (const Command command : mailbox_.TakeAll()) Apply(command);
  ShowHold();
}

void Control::HoldPauses(bool hold) {
  holds_pauses_ = hold;
  ShowHold();
}

bool Control::TakeRestart() { return std::exchange(restart_, false); }

void Control::Apply(Command command) {
  switch (command) {
    case Command::kStart:
      failed_ = false;
      target_ = Target::kRunning;
      return;
    case Command::kResume:
      target_ = Target::kRunning;
      return;
    case Command::kPause:
      target_ = Target::kPaused;
      return;
    case Command::kRestart:
      // If it does not run, Restart only clears the failure, as in Kafka Connect.
      restart_ = runs();
      if (restart_) board_.ShowState(ConnectorState::kRestarting);
      failed_ = false;
      return;
    case Command::kStop:
      failed_ = false;
      target_ = Target::kStopped;
      return;
    case Command::kQuit:
      quit_ = true;
      return;
  }
}

void Control::ShowHold() {
  if (std::exchange(held_, holding()) == holding()) return;
  if (interrupted()) return;
  log::Info(held_ ? "paused; the session is kept" : "resumed");
  board_.ShowState(held_ ? ConnectorState::kPaused : ConnectorState::kRunning);
}

}  // namespace walduct::engine
