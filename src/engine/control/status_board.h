// StatusBoard: what a connector is doing, for anybody to read. The data thread writes it when
// something changes, never per record.
//
// Thread-safety: one writer, the data thread; any number of readers.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "base/lsn.h"
#include "base/mutex.h"
#include "base/wake.h"
#include "engine/configuration/connector_names.h"
#include "engine/errors/error_policy.h"
#include "engine/errors/named_hint.h"

namespace walduct::engine {

// The words of Kafka Connect's REST interface.
enum class ConnectorState {
  kUnassigned,  // not started yet
  kRunning,     // also while it retries
  kPaused,
  kStopped,  // as asked, or its goal is reached
  kFailed,   // an operator has to act, then to restart it
  kRestarting,
};
absl::string_view StateText(ConnectorState state);  // "RUNNING"

enum class Activity {
  kNone,         // paused, stopped or failed
  kConnecting,   // to the sink, the offset store and the database
  kPreparing,    // judges the stored position, creates what is missing
  kHandingOver,  // tables to other slots: walduct.slots has changed
  kSnapshotting,
  kStreaming,
  kSettling,  // delivers and stores what it has read
  kRetrying,  // waits for its next attempt
};
absl::string_view ActivityText(Activity activity);  // "streaming"

// What a connector that does not move waits for.
enum class WaitReason {
  kNothing,
  kSink,          // to be reached
  kOffsetStore,   // to answer
  kDatabase,      // to be reached
  kTransactions,  // older than the slot to be created
  kStandby,       // that rows are read from, to replay what was committed before
  kRoom,          // in the sink: it does not acknowledge as fast as rows come
  kCatalog,       // to describe a table of the stream
  kSchemaId,      // of the schema registry
  kDelivery,      // of what was read, and of its position
  kTableLocks,    // that writers have: tables are to go to other slots
  kHandover,      // of tables to other slots, which another lane leads
  kOtherPoller,   // of the outbox tables, to end
  kTurn,          // to start: others do
  kRetry,
  kCommand,
};
absl::string_view WaitText(WaitReason wait);  // "room in the sink"; empty: nothing

struct ConnectorError {
  absl::Time at;
  std::string message, reason, hint;
  std::string change;  // event::ChangeId of what could be skipped; empty: nothing
  std::optional<absl::Time> solved_at = {};  // when the stream had passed it
};

// Where the stream was when an error came.
struct ErrorPlace {
  Lsn received;            // 0/0: nowhere
  bool of_change = false;  // a change, or row, could not be published
  bool of_store = false;   // what positions are stored in is gone
};

// Nothing progresses though there is something to do.
struct Stall {
  absl::Time since;
  absl::string_view kind = "";     // a stable word for labels: "sink"
  std::string cause;               // "Kafka at …: …"
  std::string hint = {};           // what to do
  uint64_t retained_bytes = 0;     // WAL kept for the slot; 0: not known
  uint64_t growth_per_second = 0;  // of that, in bytes
};

struct ConnectorStatus {
  std::string name;
  ConnectorState state = ConnectorState::kUnassigned;
  absl::Time state_since;
  Activity activity = Activity::kNone;
  absl::Time activity_since;
  WaitReason wait = WaitReason::kNothing;
  absl::Time wait_since;
  std::string wait_on, wait_hint;  // who is waited for, where that is known, and what to type
  std::optional<Stall> stall;
  std::optional<ConnectorError> last_error;  // kept until another comes
  std::optional<ExitCode> exit_code;         // of the last run that ended: stopped, or failed
  absl::Duration turned;                     // when its loop turned last, on the monotonic clock

  // It does not run and waits for a command: its loop has nothing to turn for.
  bool rests() const { return wait == WaitReason::kCommand && activity == Activity::kNone; }

  // It does not read, and an error has told why: it waits for its next attempt, or begins that.
  bool retries() const {
    const bool begins = activity == Activity::kRetrying || activity == Activity::kConnecting ||
                        activity == Activity::kPreparing;
    return state == ConnectorState::kRunning && begins && last_error && !last_error->solved_at;
  }

  bool ended() const {
    return state == ConnectorState::kStopped || state == ConnectorState::kFailed;
  }
};

// What hints call a connector that is in that state.
ConnectorNames NamesIn(ConnectorState state, ConnectorNames names);

// What to do about a slot that is lost or gone: reason is slot_lost or slot_missing.
std::string SlotHint(absl::string_view reason, ConnectorNames names, ConnectorState state);

class StatusBoard {
 public:
  // All borrowed. changed: signalled with each change of state or activity; null: nobody listens.
  StatusBoard(std::string name, Clock& clock, Wake* changed = nullptr);

  // Before anything else: what hints of errors call by its name.
  void SetNames(ConnectorNames names) { names_ = std::move(names); }
  // The error with what to type by these names: what is shown, and is to be logged.
  absl::Status Named(const absl::Status& error) const { return WithNamedHint(error, names_); }

  // One that nothing but a command gets over.
  absl::Status Final(const absl::Status& error) const { return AndRestart(error, names_); }

  void Show(ConnectorState state, Activity activity);
  void Show(Activity activity);
  void ShowState(ConnectorState state);
  // Cheap when it is what it waited for before.
  void WaitsFor(WaitReason wait);
  WaitReason waits_for() const { return wait_; }  // the writer's
  // Who holds up what it waits for: "a lock on table public.t, held up by pid 7 (…)"; empty: not
  // known. Until it waits for something else. Cheap when it is the same as before.
  void WaitsOn(const std::string& who);
  // received: how far the stream had come.
  void ShowError(const absl::Status& error, Lsn received = Lsn());
  // What the last error told of is behind. It stays to be read, as solved.
  void SolveError();
  bool has_open_error() const { return has_open_error_; }
  const ErrorPlace& error_place() const { return error_place_; }
  // A position is stored: what positions are stored in is there again.
  void OnStored() { error_place_.of_store = false; }
  // Absent: it progresses.
  void ShowStall(std::optional<Stall> stall);
  // The loop has turned.
  void Beat() {
    turned_ns_.store(absl::ToInt64Nanoseconds(clock_.Monotonic()), std::memory_order_relaxed);
  }
  // A run has ended: state and exit code change together.
  void ShowEnd(ConnectorState state, ExitCode exit_code);

  // Any thread.
  ConnectorStatus Read() const;

 private:
  void Change(std::optional<ConnectorState> state, std::optional<Activity> activity);

  Clock& clock_;
  Wake* const changed_;
  ConnectorNames names_;
  WaitReason wait_ = WaitReason::kNothing;  // the writer's own copy
  std::string wait_on_;                     // the same
  bool has_open_error_ = false;             // the same
  ErrorPlace error_place_;                  // the writer's own
  std::atomic<int64_t> turned_ns_;
  mutable Mutex mutex_;
  ConnectorStatus status_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace walduct::engine
