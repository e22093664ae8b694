#include "engine/lifecycle/start_turns.h"

#include "engine/control/status_board.h"
#include "engine/lifecycle/host.h"

namespace walduct::engine {
namespace {

constexpr absl::Duration kPause = absl::Milliseconds(20);

}  // namespace

StartTurns::Turn::~Turn() {
  const MutexLock lock(turns_->mutex_);
  const auto own = turns_->under_way_.find(begun_);
  if (own != turns_->under_way_.end()) turns_->under_way_.erase(own);
}

std::unique_ptr<StartTurns::Turn> StartTurns::Take() {
  const absl::Duration now = clock_.Monotonic();
  const MutexLock lock(mutex_);
  under_way_.erase(under_way_.begin(), under_way_.lower_bound(now - kLongest));
  if (under_way_.size() >= kAtOnce) return nullptr;
  under_way_.insert(now);
  return std::unique_ptr<Turn>(new Turn(this, now));
}

std::unique_ptr<StartTurns::Turn> AwaitTurn(Host& host, StatusBoard& board,
                                            const std::function<bool()>& stops) {
  StartTurns* const turns = host.start_turns();
  if (turns == nullptr) return nullptr;
  std::unique_ptr<StartTurns::Turn> turn = turns->Take();
  while (turn == nullptr && !stops()) {
    board.WaitsFor(WaitReason::kTurn);
    host.poller().WaitReadable({}, kPause);
    turn = turns->Take();
  }
  board.WaitsFor(WaitReason::kNothing);
  return turn;
}

}  // namespace walduct::engine
