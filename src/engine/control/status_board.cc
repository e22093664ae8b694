#include "engine/control/status_board.h"

#include <utility>

#include "base/error.h"

namespace walduct::engine {

absl::string_view StateText(ConnectorState state) {
  switch (state) {
    case ConnectorState::kUnassigned:
      return "UNASSIGNED";
    case ConnectorState::kRunning:
      return "RUNNING";
    case ConnectorState::kPaused:
      return "PAUSED";
    case ConnectorState::kStopped:
      return "STOPPED";
    case ConnectorState::kFailed:
      return "FAILED";
    case ConnectorState::kRestarting:
      return "RESTARTING";
  }
  return "";
}

absl::string_view ActivityText(Activity activity) {
  switch (activity) {
    case Activity::kNone:
      return "none";
    case Activity::kConnecting:
      return "connecting";
    case Activity::kPreparing:
      return "preparing";
    case Activity::kHandingOver:
      return "handing over";
    case Activity::kSnapshotting:
      return "snapshotting";
    case Activity::kStreaming:
      return "streaming";
    case Activity::kSettling:
      return "settling";
    case Activity::kRetrying:
      return "retrying";
  }
  return "";
}

absl::string_view WaitText(WaitReason wait) {
  switch (wait) {
    case WaitReason::kNothing:
      return "";
    case WaitReason::kSink:
      return "the sink";
    case WaitReason::kOffsetStore:
      return "the offset store";
    case WaitReason::kDatabase:
      return "the database";
    case WaitReason::kTransactions:
      return "transactions that are older than the slot";
    case WaitReason::kStandby:
      return "the standby of the snapshot to replay";
    case WaitReason::kRoom:
      return "room in the sink";
    case WaitReason::kCatalog:
      return "the description of a table";
    case WaitReason::kSchemaId:
      return "the schema registry";
    case WaitReason::kDelivery:
      return "acknowledgements and the offset store";
    case WaitReason::kTableLocks:
      return "locks of tables that go to other slots";
    case WaitReason::kHandover:
      return "tables to be handed over";
    case WaitReason::kOtherPoller:
      return "another worker, which polls the outbox tables";
    case WaitReason::kTurn:
      return "its turn: many connectors start";
    case WaitReason::kRetry:
      return "the next attempt";
    case WaitReason::kCommand:
      return "a command";
  }
  return "";
}

ConnectorNames NamesIn(ConnectorState state, ConnectorNames names) {
  names.called.rests = state == ConnectorState::kPaused || state == ConnectorState::kStopped;
  return names;
}

std::string SlotHint(absl::string_view reason, ConnectorNames names, ConnectorState state) {
  return NamedHint(reason, "", "", NamesIn(state, std::move(names)));
}

StatusBoard::StatusBoard(std::string name, Clock& clock, Wake* changed)
    : clock_(clock), changed_(changed) {
  status_.name = std::move(name);
  status_.state_since = status_.activity_since = status_.wait_since = clock_.Now();
  Beat();
}

void StatusBoard::Show(ConnectorState state, Activity activity) {
  WaitsFor(WaitReason::kNothing);
  Change(state, activity);
}

void StatusBoard::Show(Activity activity) {
  WaitsFor(WaitReason::kNothing);
  Change(std::nullopt, activity);
}

void StatusBoard::ShowState(ConnectorState state) { Change(state, std::nullopt); }

void StatusBoard::WaitsFor(WaitReason wait) {
  if (std::exchange(wait_, wait) == wait) return;
  wait_on_.clear();
  const MutexLock lock(mutex_);
  status_.wait = wait;
  status_.wait_since = clock_.Now();
  status_.wait_on.clear();
  status_.wait_hint.clear();
}

void StatusBoard::WaitsOn(const std::string& who) {
  if (who == wait_on_) return;
  wait_on_ = who;
  std::string hint = who.empty() ? "" : LockHint(who);
  const MutexLock lock(mutex_);
  status_.wait_on = who;
  status_.wait_hint = std::move(hint);
}

void StatusBoard::ShowError(const absl::Status& unnamed, Lsn received) {
  const absl::Status error = Named(unnamed);
  has_open_error_ = true;
  error_place_ = {.received = received,
                  .of_change = !ErrorChange(error).empty(),
                  .of_store = ErrorReason(error) == "offset_topic_gone"};
  const MutexLock lock(mutex_);
  status_.last_error = {.at = clock_.Now(),
                        .message = std::string(error.message()),
                        .reason = ErrorReason(error),
                        .hint = ErrorHint(error),
                        .change = ErrorChange(error)};
}

void StatusBoard::SolveError() {
  has_open_error_ = false;
  const MutexLock lock(mutex_);
  if (status_.last_error) status_.last_error->solved_at = clock_.Now();
}

void StatusBoard::ShowStall(std::optional<Stall> stall) {
  const MutexLock lock(mutex_);
  status_.stall = std::move(stall);
}

void StatusBoard::ShowEnd(ConnectorState state, ExitCode exit_code) {
  {
    const MutexLock lock(mutex_);
    status_.exit_code = exit_code;
    status_.stall.reset();  // it waits for nobody any more
  }
  Show(state, Activity::kNone);
}

ConnectorStatus StatusBoard::Read() const {
  const MutexLock lock(mutex_);
  ConnectorStatus status = status_;
  status.turned = absl::Nanoseconds(turned_ns_.load(std::memory_order_relaxed));
  return status;
}

void StatusBoard::Change(std::optional<ConnectorState> state, std::optional<Activity> activity) {
  {
    const MutexLock lock(mutex_);
    const absl::Time now = clock_.Now();
    if (state && std::exchange(status_.state, *state) != *state) status_.state_since = now;
    if (activity && std::exchange(status_.activity, *activity) != *activity)
      status_.activity_since = now;
  }
  if (changed_ != nullptr) changed_->Signal();
}

}  // namespace walduct::engine
